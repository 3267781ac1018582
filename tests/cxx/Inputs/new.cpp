// Objects and arrays that are made by new, and what refers to them.
struct Point {
  int x, y;
  Point(int x, int y) : x(x), y(y) {}
  int sum() const { return x + y; }
};
int main() {
  Point *p = new Point(3, 4), *q = p;
  q->x = 10;
  print(p->x);
  print(p->sum());
  int *numbers = new int[3 + 2];
  for (int i = 0; i < 5; i++) numbers[i] = i * i;
  print(numbers[4]);
  float *one = new float(2.5f);
  *one += 1;
  print(*one);
  unsigned *zeros = new unsigned[2]();
  print(zeros[1]);
  delete p;
  delete[] numbers;
  delete[] zeros;
  delete one;
}
