// Overload sets: ranks of conversions, references, templates, default arguments.
int f(int) { return 1; }
int f(double) { return 2; }
int f(const std::string &) { return 3; }
int f(bool) { return 4; }
int f(unsigned) { return 5; }
int g(long) { return 1; }
int g(float) { return 2; }
int h(double) { return 1; }
int h(int, int = 3) { return 2; }
int h(int, double) { return 3; }
int p(const char *) { return 1; }
int p(std::string) { return 2; }
int p(bool) { return 3; }
int r(int &) { return 1; }
int r(const int &) { return 2; }
int q(int &&) { return 1; }
int q(const int &) { return 2; }
int proto(double a, double b);
int proto(double a);
int proto(double a, double b) { return 10 * a + b; }
int proto(double a) { return 7; }
template <typename T> int t(T) { return 1; }
int t(int) { return 2; }
template <typename T> int t(T *) { return 3; }
template <typename T> int t(const std::vector<T> &) { return 4; }
struct A { int v; };
struct B : A {};
struct C : B {};
int o(const A &) { return 1; }
int o(const B &) { return 2; }
int o(double) { return 3; }
struct FromInt { int v; FromInt(int n) : v(n) {} };
struct Exactly { int v; explicit Exactly(int n) : v(n) {} };
int u(FromInt x) { return x.v; }
int u(const std::vector<int> &) { return -1; }
int w(FromInt) { return 1; }
int w(double) { return 2; }
int x(Exactly) { return 1; }
int x(double) { return 2; }
enum Plain { plain = 3 };
enum class Scoped { scoped = 5 };
int e(int) { return 1; }
int e(Plain) { return 2; }
int e(Scoped) { return 3; }
struct M {
  int get(int) { return 1; }
  int get(int) const { return 2; }
  int get(double) { return 3; }
  int get(int, int) { return 4; }
  static int make(int) { return 5; }
  static int make(const std::string &) { return 6; }
};
int as_const(const M &m) { return m.get(1) == 1 ? 1 : 2; }
struct K {
  int n;
  K() : n(0) {}
  K(int a) : n(a) {}
  K(int a, int b) : n(a * b) {}
  K(double) : n(-1) {}
  K(const std::string &) : n(-2) {}
};
int v(std::vector<int>) { return 1; }
int v(std::vector<float>) { return 2; }
int fn(std::function<int(int)> g) { return g(2); }
int fn(int) { return -5; }
/* A list in braces becomes what its items become. */
int braces(std::vector<int>) { return 1; }
int braces(std::vector<std::string>) { return 2; }
int braces(std::vector<std::vector<int>>) { return 3; }
struct Back;
struct There {
  int v;
  There(int n) : v(n) {}
  There(const Back &b);
};
struct Back {
  int w;
  Back(const There &a) : w(a.v + 1) {}
};
There::There(const Back &b) : v(b.w * 10) {}
int there(const There &a) { return a.v; }
int back(Back b) { return b.w; }

int main() {
  There there_first(3);
  Back back_of(there_first), back_copied = there_first;
  There again = back_of;
  print(back_of.w), print(back_copied.w), print(again.v);
  print(there(back_of)), print(back(again)), print(there(7));
  uint8_t byte = 1;
  short small = 1;
  float single = 1;
  long large = 1;
  (void)large;
  print(f(1), f(1.0), f(true), f(1u), f(byte), f(small), f(single), f('a'), f(std::string("x")), f(byte + byte));
  print(g(1L), g(1.0f));
  print(h(1), h(1.5), h(1, 2), h(1, 2.0));
  std::string s = "y";
  print(p("x"), p(s), p(std::string("z")));
  int i = 1;
  const int ci = 1;
  print(r(i), r(ci), r(3), r(i + 1), q(i), q(4), q(ci), q(i * 2));
  print(proto(1, 2), proto(1));
  std::vector<int> list = {1, 2};
  print(t(1), t(1.5), t(&i), t(list), t(byte));
  print(o(A{1}), o(B()), o(C()), o(1), o(2.5f));
  print(u(4), u(list), w(1), x(1));
  print(e(1), e(plain), e(Scoped::scoped), e(plain + 1));
  M m;
  print(m.get(1), m.get(1.5), m.get(1, 2), M::make(1), M::make("a"));
  print(K().n, K(2).n, K(2, 3).n, K(2.5).n, K("a").n, K{4}.n, K{4, 5}.n);
  std::vector<float> floats;
  print(v(list), v(floats));
  print(fn([](int a) { return a * 10; }), fn(3));
  print(braces({1, 2}), braces({"a", "b", "c"}), braces({list, list}));
}
