/* Packs of parameters: of functions, classes and lambdas; what they are expanded to; folds. */
#include <memory>
#include <string>
#include <utility>
#include <vector>

int sum() { return 0; }
template <typename T, typename... Rest>
T sum(T first, Rest... rest) {
  return first + (T)sum(rest...);
}

template <typename... Args>
int count(Args &&...args) {
  return sizeof...(args) * 10 + sizeof...(Args);
}

template <typename T>
int last(T value) {
  return value;
}
template <typename T, typename... Rest>
int last(T, Rest... rest) {
  return last(rest...);
}

/* --- where they may stand --- */

template <typename... Args>
std::vector<int> list_of(Args... args) {
  return {args...};
}
template <typename... Args>
std::vector<int> twice(Args... args) {
  std::vector<int> all{1, (2 * args)..., 9};
  return all;
}
int three(int a, int b, int c) { return 100 * a + 10 * b + c; }
template <typename... Args>
int between(Args... args) {
  return three(args..., 7);
}
template <typename F, typename... Args>
int apply(F f, Args &&...args) {
  return f(std::forward<Args>(args)...);
}
template <typename... Args>
std::string kinds(const Args &...args) {
  std::string text;
  std::vector<std::string> all = {std::to_string(args)...};
  for (auto &one : all) text += one + ";";
  return text;
}
template <typename A, typename B, typename... Rest>
std::string described(A a, std::pair<A, B> b, Rest &&...rest) {
  return std::to_string(a + b.first) + (sizeof...(rest) > 0 ? "+" : "-") + std::to_string(sizeof(B));
}

/* --- references --- */

void add_one(int &x) { x += 1; }
template <typename... Args>
void add_to_all(Args &...args) {
  (add_one(args), ...);
}
int kind(int &) { return 1; }
int kind(const int &) { return 2; }
int kind(int &&) { return 3; }
template <typename T>
int forwarded(T &&x) {
  return kind(std::forward<T>(x));
}
template <typename... Args>
int all_forwarded(Args &&...args) {
  int n = 0;
  ((n = 10 * n + kind(std::forward<Args>(args))), ...);
  return n;
}
template <typename T>
int rank_of(T &&x) {
  x = x + 1;
  return x;
}

/* --- folds --- */

template <typename... T>
auto total(T... x) {
  return (x + ...);
}
template <typename... T>
auto left(T... x) {
  return (... - x);
}
template <typename... T>
auto right(T... x) {
  return (x - ...);
}
template <typename... T>
auto from(int start, T... x) {
  return (start - ... - x);
}
template <typename... T>
auto upto(int end, T... x) {
  return (x - ... - end);
}
template <typename... T>
bool all_of(T... x) {
  return (... && x);
}
template <typename... T>
bool any_of(T... x) {
  return (x || ...);
}
static int calls = 0;
bool seen(int x) {
  calls++;
  return x > 0;
}
template <typename... T>
bool all_seen(T... x) {
  return (seen(x) && ...);
}
template <typename... T>
void push_all(std::vector<int> &v, T... x) {
  (v.push_back(x * x), ...);
}

/* --- overloads: what has no pack is preferred --- */

template <typename... T>
int chosen(T...) {
  return 1;
}
template <typename T>
int chosen(T) {
  return 2;
}
int chosen(int, int) { return 3; }
template <typename T, typename... R>
int chosen(const std::vector<T> &, R...) {
  return 4;
}

/* --- explicit arguments --- */

template <typename R, typename... A>
R made(A... a) {
  return R(a...);
}
template <typename... A>
int sizes(A... a) {
  return (sizeof(A) + ... + 0);
}
template <int... N>
int digits() {
  int n = 0;
  for (int d : {N...}) n = 10 * n + d;
  return n;
}
template <typename T, T... N>
T product() {
  return (N * ... * 1);
}

/* --- classes --- */

template <typename... T>
struct Types {
  static const int size = sizeof...(T);
  static int bytes() { return (sizeof(T) + ... + 0); }
  int with(T... x) const { return (x + ... + 0); }
};
template <typename T, typename... R>
int of_types(const Types<T, R...> &) {
  return sizeof(T) * 10 + sizeof...(R);
}
template <typename... T>
struct Length;
template <>
struct Length<> {
  static const int value = 0;
};
template <typename H, typename... T>
struct Length<H, T...> {
  static const int value = 1 + Length<T...>::value;
};
template <typename... T>
struct Row;
template <>
struct Row<> {
  int sum() const { return 0; }
};
template <typename H, typename... T>
struct Row<H, T...> : Row<T...> {
  H head;
  Row(H h, T... t) : Row<T...>(t...), head(h) {}
  int sum() const { return head + Row<T...>::sum(); }
};
struct Point {
  int x, y;
  std::string name;
  Point(int x, int y = 5) : x(x), y(y), name("ints") {}
  Point(const std::string &name, int x) : x(x), y(0), name(name) {}
};
struct Shape {
  Point at;
  template <typename... A>
  explicit Shape(A &&...a) : at(std::forward<A>(a)...) {}
};
template <typename T>
struct Store {
  std::vector<T> items;
  template <typename... A>
  T &add(A &&...a) {
    items.push_back(T(std::forward<A>(a)...));
    return items.back();
  }
  template <typename... A>
  int nested(const std::string &kind, A &&...a) {
    if (kind == "add") return add(std::forward<A>(a)...).x;
    return sizeof...(a);
  }
};
struct Walks {
  int walk() const { return 4; }
};
struct Swims {
  int swim() const { return 5; }
};
template <typename... B>
struct Both : B... {};

template <typename T, typename... A>
std::shared_ptr<T> make(A &&...a) {
  return std::make_shared<T>(std::forward<A>(a)...);
}

int main() {
  print(sum(1, 2, 3));
  print(sum(1.5, 2));
  print(count());
  print(count(1, "a", 2.5f));
  print(last(1, 2, 3));
  for (int i : list_of(3, 1, 2)) print(i);
  print((int)list_of().size());
  for (int i : twice(3, 4)) print(i);
  print(between(5, 6));
  print(apply(three, 1, 2, 3));
  print(apply([](int a) { return a + 1; }, 4));
  print(apply([] { return 8; }));
  print(kinds(1, 2, 30));
  print(described(1, std::make_pair(2, 2.5)));
  print(described(1, std::make_pair(2, 2.5f), 3, 4));

  int a = 1, b = 2;
  const int c = 3;
  add_to_all(a, b);
  print(a);
  print(b);
  print(forwarded(a));
  print(forwarded(c));
  print(forwarded(4));
  print(all_forwarded(a, 5, c, a));
  print(rank_of(a));
  print(a);
  print(rank_of(7));

  print(total(1, 2, 3.5));
  print(left(10, 3, 2));
  print(right(10, 3, 2));
  print(from(20, 3, 2));
  print(upto(20, 3, 2));
  print(all_of(true, 1, 2));
  print(all_of(true, 0, 2));
  print(all_of());
  print(any_of());
  print(any_of(0, 0, 3));
  print(all_seen(1, -1, 2, 3));
  print(calls);
  std::vector<int> v;
  push_all(v, 2, 3, 4);
  print(v[2]);

  print(chosen());
  print(chosen(1));
  print(chosen(1, 2));
  print(chosen(1, 2, 3));
  print(chosen(v));
  print(chosen(v, 1, 2));

  print(made<Point>(4).y);
  print(made<Point>(4, 6).y);
  print(made<Point, std::string>("n", 6).name);
  print(sizes<char, double>(1, 2));
  print(sizes<char>(1, 2));
  print(digits<1, 2, 3>());
  print(product<int, 2, 3, 4>());

  print(Types<>::size);
  print(Types<int, char, double>::size);
  print(Types<int, char, double>::bytes());
  print(Types<int, int>().with(3, 4));
  print(of_types(Types<double, int, int>()));
  print(Length<>::value);
  print(Length<int, int, char>::value);
  Row<int, short, char> row(100, 20, 3);
  print(row.sum());
  print(row.head);
  Shape shape(3, 4);
  print(shape.at.y);
  Shape named("s", 4);
  print(named.at.name);
  Store<Point> store;
  store.add(1, 2).x = 11;
  store.add(std::string("text"), 3);
  print(store.items[0].x);
  print(store.items[1].name);
  print(store.nested("add", 7));
  print(store.nested("other", 7, 8));
  Both<Walks, Swims> both;
  print(both.walk() * both.swim());
  print(make<Point>(5)->y);
  print(make<Point>("p", 5)->name);

  auto sums = [](auto... x) { return (x + ... + 0); };
  print(sums());
  print(sums(1, 2, 3));
  auto captured = [&v](auto... x) {
    push_all(v, x...);
    return (int)v.size();
  };
  print(captured(1, 1));
  return 0;
}
