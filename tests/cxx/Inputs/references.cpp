/* What references and pointers are bound to: any expression that is a place; copies that have a state of their own. */
struct Node {
  int n = 2;
  std::vector<int> v;
  Node *parent = nullptr;
  Node &self() { return *this; }
  Node &set(int to) {
    n = to;
    return *this;
  }
};
struct Base {
  int f() const { return 1; }
  virtual int g() const { return 1; }
};
struct Derived : Base {
  int f() const { return 2; }
  int g() const override { return 2; }
};
int one = 1;
int &global() {
  return one;
}
void bump(int &x) {
  x++;
}
void first_of(int *a) {
  a[0] = 70;
}
void second_of(int a[]) {
  a[1] = 71;
}
void third_of(int a[3]) {
  a[2] = 72;
}
void all_of(int *a, int n) {
  for (int i = 0; i < n; i++) a[i] += 1;
}
void push(Node &n, int x) {
  n.v.push_back(x);
}
void walk(Node *n, int depth) {
  if (depth == 0) return;
  Node &here = *n;
  here.v.push_back(depth);
  walk(&here, depth - 1);
}
template <typename T> int count() {
  static int n = 1;
  return n++;
}
template <typename T> struct Counted {
  static int next() {
    static int n = 10;
    return n++;
  }
};
int external = 3;
void set_external() {
  extern int external;
  external = 7;
}
int twice(int x) {
  return 2 * x;
}
int thrice(int x) {
  return 3 * x;
}

void pointers() {
  int n = 5, *p = &n, &r = *p;
  r *= 2;
  print(n);
  auto &again = *p;
  again = 9;
  print(n);
  bump(*p);
  print(n);
  int m = 1, &chosen = n > m ? n : m;
  chosen = 60;
  print(n);
  int &stepped = ++n;
  stepped = 70;
  print(n);
  (n = 3) = 4;
  print(n);
  bump(n += 5);
  print(n);
  global() = 50;
  int &g = global();
  g++;
  print(one);
  auto f = [&]() -> int & { return n; };
  f() = 51;
  int &by = f();
  by++;
  print(n);
  const double &wide = n;
  print(wide);
  int whole = 3.9, *to = &whole, other = 2.9, &alias = whole;
  alias += *to;
  print(whole * 10 + other);
}

void items() {
  std::vector<int> v{1, 2, 3};
  int &a = v.front(), &b = v.back(), &c = v.at(1);
  a = 10, b = 30, c = 20;
  print(v[0] + v[1] + v[2]);
  int &d = *v.begin();
  d = 11;
  bump(*(v.begin() + 1));
  bump(v.back());
  print(v[0] + v[1] + v[2]);
  std::vector<std::vector<int>> deep(2);
  auto &last = deep.back();
  last.push_back(4);
  deep.front().push_back(1);
  for (auto &x : deep.back()) x = 9;
  print((int)deep[1].size() * 100 + deep[0][0] * 10 + deep[1][0]);
  deep.emplace_back();
  auto &added = deep.back();
  for (int i = 0; i < 3; i++) added.push_back(i);
  print((int)deep[2].size());
  std::map<std::string, int> m{{"a", 1}};
  int &in_map = m.at("a"), &made = m["b"];
  in_map = 8, made = 5;
  print(m["a"] * 10 + m["b"]);
  auto shared = std::make_shared<int>(4);
  int &pointed = *shared;
  pointed = 40;
  print(*shared);
  std::tuple<int, int> t(1, 2);
  int &got = std::get<0>(t);
  got = 7;
  print(std::get<0>(t));
  std::pair<int, int> pair(1, 2);
  auto &[p0, p1] = pair;
  p0 = 15;
  print(pair.first + p1);
  auto capture = [&x = v.back()] { x = 99; };
  capture();
  print(v[2]);
}

void arrays() {
  int a[3] = {1, 2, 3};
  first_of(a);
  second_of(a);
  third_of(a);
  print(a[0] * 10000 + a[1] * 100 + a[2]);
  int *p = a, &x = *p;
  p[0] = 4;
  x++;
  print(a[0]);
  all_of(p, 3);
  print(a[0] + a[1] + a[2]);
  int b[3] = {0, 0, 0};
  p = b;
  p[1] = 6;
  print(b[1] + a[1]);
  struct {
    int k[2];
  } s = {{1, 2}};
  first_of(s.k);
  print(s.k[0]);
  int (*table[])(int) = {twice, thrice};
  print(table[0](5) + table[1](5));
  int (*pair[2])(int) = {thrice, twice};
  print(pair[1](7));
}

void objects() {
  Node a, b;
  Node &r = b.self();
  r.n = 7;
  print(b.n);
  b.set(1).set(5);
  b.self().n += 6;
  print(b.n);
  a.self() = b;
  r = Node();
  print(a.n * 100 + b.n);
  Node *p = &a;
  Node &q = *p;
  q.v.push_back(1);
  push(*p, 2);
  print((int)a.v.size());
  b.parent = &a;
  Node &up = *b.parent;
  up.v.push_back(3);
  std::vector<int> &of_parent = b.parent->v;
  of_parent.push_back(4);
  print((int)a.v.size());
  walk(&a, 3);
  print((int)a.v.size());
  auto own = std::make_unique<Node>();
  Node &inside = *own;
  inside.v.push_back(1);
  push(*own, 2);
  print((int)own->v.size());
  *p = b;
  print((int)a.v.size());
  Derived d;
  Base &base = d;
  const Base &constant = d;
  Base *pointer = &d;
  print(base.f() * 1000 + constant.f() * 100 + pointer->f() * 10 + d.f());
  print(base.g() * 1000 + constant.g() * 100 + pointer->g() * 10 + d.g());
}

void states() {
  auto make = [](int start) { return [start]() mutable { return start++; }; };
  auto c1 = make(3), c2 = make(10);
  print(c1() + c1() + c2());
  auto c3 = c1;
  print(c3() * 10 + c1());
  std::function<int()> f1 = c1, f2 = f1;
  print(f1() * 100 + f1() * 10 + f2());
  std::vector<int> seen;
  auto keep = [seen, &c2]() mutable {
    seen.push_back(c2());
    return (int)seen.size();
  };
  auto other = keep;
  print(keep() * 100 + keep() * 10 + other());
  print(count<int>() + count<float>() + count<int>());
  print(Counted<int>::next() + Counted<float>::next() + Counted<int>::next());
  set_external();
  print(external);
}

int main() {
  pointers();
  items();
  arrays();
  objects();
  states();
  return 0;
}
