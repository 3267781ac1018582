// Templates: arguments given, deduced and by default; special cases; other names.
template <typename T> T twice(T v) { return v + v; }
template <typename T> T narrow(int v) { return (T)v; }
template <typename To, typename From> To to(From v) { return static_cast<To>(v); }
template <int N> int times(int v) { return v * N; }
template <typename T, int N = 4> struct Block {
  T items[N];
  static const int size = N;
  T sum() const { T s = 0; for (int i = 0; i < N; i++) s += items[i]; return s; }
};
template <typename T> struct Name { static int id() { return 0; } };
template <> struct Name<int> { static int id() { return 1; } };
template <> struct Name<double> { static int id() { return 2; } };
template <typename T> struct Name<std::vector<T>> { static int id() { return 10 + Name<T>::id(); } };
template <typename T> struct Name<T *> { static int id() { return 100 + Name<T>::id(); } };
template <typename T> int kind(T) { return 0; }
template <> int kind<int>(int) { return 1; }
template <> int kind(double) { return 2; }
template <typename T> struct Pair {
  T a, b;
  using value = T;
  Pair(T a, T b) : a(a), b(b) {}
  Pair swapped() const { return Pair(b, a); }
  template <typename U> Pair<U> as() const { return Pair<U>(a, b); }
  T larger() const;
};
template <typename T> T Pair<T>::larger() const { return a > b ? a : b; }
template <typename T> T first(const Pair<T> &p) { return p.a; }
template <typename T> T total(const std::vector<T> &v) { T s = 0; for (auto x : v) s += x; return s; }
template <typename T> using Bytes = Pair<T>;
typedef Pair<uint8_t> BytePair;
template <typename D> struct Shape {
  int area() { return static_cast<D *>(this)->width() * 2; }
};
struct Square : Shape<Square> { int width() { return 6; } };
template <typename T> struct Holder { T v; Holder(T v) : v(v) {} T get() { return v; } };
template <typename T> struct Twice : Holder<T> { Twice(T v) : Holder<T>(v) {} T get() { return 2 * Holder<T>::get(); } };
template <typename T> T half(T v) { T two = 2; return v / two; }
template <typename T> void set(T &to, int v) { to = v; }
typedef struct Point { int x, y; } P;
typedef struct { int z; } Q;
typedef enum { red = 4, green } Color;
template <typename F> auto call(F f) { return f(3); }
template <typename T> int same(T, T) { return 1; }
template <typename T, typename U> int same(T, U) { return 2; }
int main() {
  print(twice(2), twice(1.5), twice(std::string("ab")), twice<int>(2.9), twice((uint8_t)200));
  print(narrow<uint8_t>(300), narrow<float>(3), to<int>(2.7), to<int16_t>(70000), times<3>(5));
  Block<float> f = {{1, 2, 3, 4}};
  Block<int, 2> i = {{5, 6}};
  print(f.sum(), i.sum(), Block<int, 7>::size, (Block<float>::size));
  print(Name<char>::id(), Name<int>::id(), Name<double>::id(), Name<std::vector<int>>::id(), Name<double *>::id());
  print(kind(1), kind(1.0), kind('a'));
  Pair<int> p(3, 4);
  Pair<int>::value v = 5;
  print(p.swapped().a, p.as<double>().b, p.larger(), first(p), v);
  print(total(std::vector<int>{1, 2, 3}), total(std::vector<double>{0.5, 1}));
  Bytes<int16_t> b(1, 2);
  BytePair c(255, 256 + 7);
  print(b.a, c.a, c.b);
  print(Square().area(), Twice<int>(4).get(), Twice<double>(1.5).get());
  print(half(5), half(5.0), half(5.0f));
  uint8_t small;
  set(small, 511);
  print(small);
  P point = {1, 2};
  Q q;
  q.z = 3;
  Color color = green;
  print(point.x + point.y, q.z, (int)color);
  print(call([](int n) { return n * 1.5; }), same(1, 2), same(1, 2.0));
}
