/* Maps and sets by their positions, arrays, numbers of C's headers, statements. */
void maps() {
  std::map<std::string, int> m{{"b", 2}, {"a", 1}, {"c", 3}};
  auto it = m.find("a");
  print(it != m.end() ? it->second : 0);
  print(m.find("z") == m.end());
  it->second = 9;
  print(m["a"]);
  int sum = 0;
  for (auto i = m.begin(); i != m.end(); ++i) sum = sum * 10 + i->second;
  print(sum);
  m.erase("a");
  print((int)m.size());
  m.erase(m.begin());
  print(m.begin()->second);
  std::set<int> s{3, 1, 2};
  print(*s.find(2));
  std::map<std::string, int> other;
  other.swap(m);
  print((int)m.size() * 10 + (int)other.size());
  other.clear();
  print(other.empty());
}
struct A {
  int v;
  A() { v = f(); }
  virtual int f() const { return 1; }
};
struct D : A {
  int w;
  D() { w = f(); }
  int f() const override { return 2; }
};
int main() {
  maps();
  int a[2][3] = {{1, 2, 3}, {4}}, b[][2] = {{1}, {2, 3}}, c[4] = {1};
  print(a[1][2] * 1000 + a[1][0] * 100 + b[1][1] * 10 + b[0][1]);
  print((int)(sizeof(a) / sizeof(a[0])) * 100 + (int)(sizeof(c) / sizeof(c[0])) * 10 + c[3]);
  print(std::max({1, 9, 4}) * 10 + std::min({3, 2}));
  int n = 0;
  switch (1) {
  case 1:
    n = 3;
    [[fallthrough]];
  case 2:
    n += 4;
  }
  while (int k = n--) {
    if (k == 2) break;
    print(k);
  }
  print(n);
  print(INT32_MAX);
  print(UINT64_MAX);
  print(INT_MIN);
  print(FLT_MAX);
  float inf = INFINITY;
  print(inf > FLT_MAX);
  D d;
  print(d.v * 10 + d.w);
  std::vector<int> v{1, 2}, w{3};
  print(v < w);
  v.swap(w);
  std::map<std::pair<int, int>, int> of_pairs;
  of_pairs[{1, 2}] = 5;
  of_pairs[{0, 9}] = 6;
  print(of_pairs[std::make_pair(1, 2)] * 10 + of_pairs.begin()->second);
  print((int)v.size() * 10 + (int)w.size());
  return 0;
}
