// Operators and conversions of classes.
struct V {
  int x, y;
  V(int a = 0, int b = 0) : x(a), y(b) {}
  V operator+(const V &o) const { return V(x + o.x, y + o.y); }
  V operator*(int n) const { return {x * n, y * n}; }
  V operator-() const { return V(-x, -y); }
  V &operator+=(const V &o) { x += o.x; y += o.y; return *this; }
  bool operator==(const V &o) const { return x == o.x && y == o.y; }
  bool operator<(const V &o) const { return x < o.x; }
  int &operator[](int i) { return i == 0 ? x : y; }
  int operator()(int a, int b) const { return a * x + b * y; }
  V &operator++() { x++; return *this; }
  V operator++(int) { V old = *this; x++; return old; }
  bool operator!() const { return x == 0; }
  V &operator=(const V &o) { x = o.x; y = o.y + 0; return *this; }
  friend V operator/(const V &a, int n) { return V(a.x / n, a.y / n); }
};
V operator*(int n, const V &v) { return v * n; }
V operator-(const V &a, const V &b) { return V(a.x - b.x, a.y - b.y); }
int operator%(const V &a, const V &b) { return a.x * b.x + a.y * b.y; }
namespace deep {
struct W { int n; };
W operator+(W a, W b) { return W{a.n * b.n}; }
int weight(W w) { return w.n * 1000; }
}
struct Celsius {
  double t;
  operator double() const { return t; }
  explicit operator bool() const { return t > 0; }
};
struct Wrapped {
  int v = 3;
  operator int() const { return v; }
};
struct Holder {
  V inner;
  V *operator->() { return &inner; }
  V &operator*() { return inner; }
};
struct Matrix {
  std::vector<int> data;
  int w;
  Matrix(int w, int h) : data(w * h), w(w) {}
  int &operator()(int x, int y) { return data[y * w + x]; }
  int at(int x, int y) const { return data[y * w + x]; }
};
Matrix operator+(const Matrix &a, const Matrix &b);
Matrix operator+(const Matrix &a, const Matrix &b) {
  Matrix r(a.w, 2);
  for (size_t i = 0; i < a.data.size(); i++) r.data[i] = a.data[i] + b.data[i];
  return r;
}
struct Out { int n; Out scaled(int by) const; bool operator!=(const Out &o) const; operator V() const; };
Out Out::scaled(int by) const { return Out{n * by}; }
bool Out::operator!=(const Out &o) const { return n != o.n; }
Out::operator V() const { return V(n, n); }
double half(double v) { return v / 2; }
int main() {
  V a(1, 2), b(3, 4);
  V c = a + b * 2;
  print(c.x, c.y, (2 * a).y, (-a).x, (b - a).y, a % b, (b / 2).x);
  c += a;
  print(c.x, a == V(1, 2), a == b, a < b, !a, !V());
  c[0] = 50;
  c[1] += 7;
  print(c.x, c.y, c[0], c(2, 3));
  V d = c++;
  ++c;
  print(d.x, c.x);
  V e;
  e = c;
  e.x = -1;
  print(c.x, e.x, (a + 5).x);
  deep::W w = deep::W{3} + deep::W{4};
  print(w.n, weight(w));
  Celsius t{2.5};
  print(t + 1, half(t), t ? 1 : 0);
  double plain = t;
  print(plain, Wrapped() + 4, Wrapped{9} * 2.5);
  int n = Wrapped();
  print(n);
  Holder h;
  h->x = 8;
  (*h).y = 9;
  print(h->x, h.inner.y);
  Matrix m(2, 2), k(2, 2);
  m(1, 1) = 5;
  m(0, 1) += 3;
  k(1, 1) = 10;
  print(m.at(1, 1), m(0, 1), (m + k).at(1, 1));
  Out o{4};
  V from = o;
  print(o.scaled(3).n, o != Out{4}, from.y);
}
