/* Objects: the order in which bases and members are made, aggregates, copies. */
static int made = 0;
static int next(int step) {
  made += step;
  return made;
}

struct A {
  int v;
  A(int n) : v(n) { made++; }
};

struct Order {
  int late, early;
  int b = next(10), a = next(100);
  Order() : a(next(1)), early(next(1000)), late(next(10000)) {}
  Order(int n) : early(n), late(n + 1) {}
};

struct E {
  A a;
  int k;
  E() : a(3), k(a.v) {}
  E(int n) : a(n), k(7) {}
  E(int n, int m) : E(n + m) { k += 1; }
};

struct F {
  A a{5};
  F() {}
  F(int n) : a(n) {}
};

struct G {
  A a;
  int k = 9;
  int last[3] = {1, 2, 3};
};

struct H : G {
  int z;
  H() : G{A(2), 4}, z(1) {}
  H(const G &g) : G(g), z(8) {}
};

struct Arrays {
  int n[3];
  std::vector<int> v;
  std::array<int, 2> pair;
  Arrays(int a, int b) : n{a, b, a + b}, v(3, a), pair{b, a} {}
};

struct Holder {
  int &place;
  const int fixed;
  int *address;
  Holder(int &p) : place(p), fixed(p * 2), address(&p) {}
  void add(int n) { place += n; }
};

struct Copied {
  int x = 1;
  std::vector<int> items;
  Copied() = default;
  Copied(const Copied &other) : x(other.x), items(other.items) {}
  Copied &operator=(const Copied &other) {
    x = other.x * 2;
    items = other.items;
    return *this;
  }
  ~Copied() {}
};

struct Base {
  int value = 4;
  virtual ~Base() = default;
  virtual int get() const { return value; }
};

struct Derived : Base {
  int more;
  Derived(int m) : more(m) { value += m; }
  int get() const override { return value * 100 + more; }
};

struct Point {
  int x, y;
};
struct Line {
  Point from, to;
  int width = 1;
};

template <typename T, int N> struct Stack {
  T items[N];
  int n;
  Stack() : n(0) {}
  void push(T t) { items[n++] = t; }
  T top() const { return items[n - 1]; }
};

static int sum(Line l) {
  l.to.x += 1000;
  return l.from.x + l.from.y + l.to.x + l.to.y + l.width;
}

struct Made {
  A a;
  int n;
};
struct Held {
  struct {
    int x, y;
  } at;
  A a;
  int last;
};

int main() {
  Made braced{5, 6};
  Held held = {1, 2, 3, 4};
  print(braced.a.v), print(braced.n);
  print(held.at.x), print(held.at.y), print(held.a.v), print(held.last);
  Order o;
  print(o.late);
  print(o.early);
  print(o.b);
  print(o.a);
  Order o2(5);
  print(o2.early);
  print(o2.a);
  E e, e2(8), e3(1, 2);
  print(e.a.v);
  print(e.k);
  print(e2.a.v);
  print(e3.a.v);
  print(e3.k);
  F f, f2(6);
  print(f.a.v);
  print(f2.a.v);
  G g{A(7)}, g2{A(1), 2, {6, 5}};
  print(g.a.v);
  print(g.k);
  print(g.last[2]);
  print(g2.k);
  print(g2.last[1]);
  print(g2.last[2]);
  H h, h2(g2);
  print(h.a.v);
  print(h.k);
  print(h2.a.v);
  print(h2.k);
  print(h2.z);
  print(made);
  Arrays arrays(3, 4);
  print(arrays.n[2]);
  print((int)arrays.v.size());
  print(arrays.v[1]);
  print(arrays.pair[0]);
  int number = 10;
  Holder holder(number);
  holder.add(5);
  *holder.address += 1;
  print(number);
  print(holder.fixed);
  Holder second = holder;
  second.add(4);
  print(number);
  Copied c;
  c.items.push_back(3);
  Copied d(c), k = c;
  d.items.push_back(4);
  k.items[0] = 9;
  print((int)c.items.size());
  print(c.items[0]);
  print(d.items[1]);
  k = d;
  print(k.x);
  print((int)k.items.size());
  Derived derived(3);
  Base sliced = derived;
  Base &seen = derived;
  print(sliced.get());
  print(seen.get());
  Line line = {{1, 2}, {3, 4}}, other{1, 2, 3, 4, 5};
  print(sum(line));
  print(sum(other));
  print(line.to.x);
  Line lines[2] = {{{1, 1}, {2, 2}}, line};
  lines[1].from = {7, 8};
  print(lines[1].from.y);
  print(line.from.y);
  Stack<Point, 4> points;
  points.push({1, 2});
  points.push(Point{3, 4});
  print(points.top().y);
  print(points.items[0].x);
  Stack<Point, 4> more = points;
  more.push({5, 6});
  print(more.n);
  print(points.n);
}
