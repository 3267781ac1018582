// Names: scopes, namespaces, classes.
int x = 1;
namespace a {
int x = 2;
int f() { return x; }
int f(int v) { return v + x; }
namespace b {
int f(double) { return 30; }
int call() { return f(1) + x + ::x; }
int same(int v);
}
int only_in_a() { return 7; }
}
int a::b::same(int v) { return v * x; }
namespace a {
int reopened() { return f() + 100; }
int late(double v = 2.5) { return (int)(v * 2); }
}
namespace c {
using namespace a::b;
int x = 3;
int call() { return f(1); }
}
namespace d {
using a::f;
int g() { return f() + f(4); }
}
namespace other = a::b;
inline namespace v1 { int versioned() { return 11; } }
namespace { int hidden() { return 12; } }

int scale = 2;
struct S {
  int scale = 11;
  int get() { return ::scale; }
  int own() { return scale; }
  int local() { int scale = 5; return scale + this->scale + ::scale; }
};
int twice(int v) { return 2 * v; }
struct Hides {
  int twice(int v) { return v + 1000; }
  int call() { return twice(1); }
  int call_global() { return ::twice(1); }
};
struct Counter {
  static int count;
  static const int step = 3;
  static constexpr double half = 0.5;
  enum Kind { one = 1, two };
  enum class Mode : uint8_t { fast = 4, slow };
  using value = uint16_t;
  struct Inner { int v = 9; int twice() const { return v * step; } };
  static int next() { count += step; return count; }
  static int next(int by) { return count += by; }
};
int Counter::count = 10;
struct Base {
  int v = 1;
  int hidden() { return 1; }
  int hidden(int) { return 2; }
  virtual int f() { return v; }
  int calls_f() { return f(); }
  int plain() { return 5; }
  int calls_plain() { return plain(); }
};
struct Derived : public Base {
  int v = 20;
  int hidden(double) { return 3; }
  int f() override { return Base::f() + v + Base::v; }
  int plain() { return 50; }
};
struct Uses : Base {
  using Base::hidden;
  int hidden(double) { return 3; }
};
int by_base(Base &b) { return b.f() + b.plain(); }
int by_value(Base b) { return b.f() + b.plain(); }
int by_pointer(Base *b) { return b->f() + b->plain(); }

int counted() {
  static int n = 0;
  n++;
  return n;
}
int shadows(int x) {
  print(x);
  {
    int x = 50;
    print(x);
    for (int x = 0; x < 2; x++) print(x);
    print(x);
  }
  if (int y = x) print(y + x);
  return x;
}
int main() {
  print(x, ::x, a::x, a::f(), a::f(1), a::b::f(1.0), a::b::call(), a::b::same(4), a::reopened());
  print(a::late(), a::late(1));
  print(c::call(), c::x, d::g(), other::call(), versioned(), hidden());
  {
    using namespace a;
    print(only_in_a());
  }
  S s;
  print(s.get(), s.own(), s.local());
  Hides h;
  print(h.call(), h.call_global());
  print(Counter::count, Counter::step, Counter::half);
  print(Counter::next());
  print(Counter::next(5));
  print(Counter::count);
  print((int)Counter::two, (int)Counter::Mode::slow, static_cast<int>(Counter::one));
  Counter::value narrow = 70000;
  Counter::Inner inner;
  print(narrow, inner.twice());
  Base b;
  Derived d;
  Uses u;
  print(b.f(), d.f(), b.calls_f(), d.calls_f(), d.calls_plain(), d.plain(), d.Base::plain(), d.Base::f());
  print(d.hidden(1), u.hidden(1), u.hidden(1.5), u.hidden());
  print(by_base(d), by_base(b), by_value(d), by_pointer(&d));
  Base copy = d;
  print(copy.f(), copy.v, d.v, d.Base::v);
  counted();
  counted();
  print(counted());
  shadows(3);
}
