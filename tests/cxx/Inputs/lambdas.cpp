// Lambdas: captures by value and by reference, at the place where they stand.
int global = 1;
struct Owner {
  int n = 5;
  int run() {
    auto add = [this](int v) { return n + v; };
    n = 6;
    auto all = [=]() { return n; };
    n = 7;
    return add(1) * 100 + all();
  }
  std::function<int(int)> make(int by) { return [=](int v) { return v * by + n; }; }
};
std::function<int()> counter(int from) {
  return [from]() mutable { return from++; };
}
template <typename F> int apply(F f, int v) { return f(f(v)); }
int apply_all(const std::vector<std::function<int(int)>> &all, int v) {
  for (auto &f : all) v = f(v);
  return v;
}
int main() {
  int base = 10;
  auto copy = [=](int v) { return v + base; };
  auto one = [base](int v) { return v + base; };
  auto ref = [&](int v) { return v + base; };
  auto one_ref = [&base]() { base += 1; return base; };
  auto init = [twice = base * 2](int v) { return v + twice; };
  auto mixed = [=, &base](int v) { base = v; return copy(1); };
  base = 20;
  print(copy(1), one(1), ref(1), init(1));
  print(one_ref());
  print(base);
  print(mixed(3));
  print(base);
  std::vector<std::function<int(int)>> all;
  for (int i = 0; i < 3; i++) all.push_back([=](int v) { return v * 10 + i; });
  print(all[0](1), all[1](1), all[2](1), apply_all(all, 1));
  auto next = counter(5);
  next();
  print(next());
  print(next());
  print(apply([](int v) { return v * v; }, 3));
  std::function<int(int)> fib = [&fib](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
  print(fib(10));
  auto uses_global = [] { return global; };
  global = 2;
  print(uses_global());
  Owner o;
  print(o.run());
  print(o.make(3)(2));
  auto generic = [](auto a, auto b) { return a + b; };
  print(generic(1, 2), generic(1, 2.5), generic(std::string("a"), std::string("b")));
  const int size = 4;
  auto constant = [] { return size; };
  print(constant());
  auto nested = [base](int a) { return [=](int b) { return a * b + base; }; };
  print(nested(2)(3));
  int x = 1;
  auto shadow = [x](int y) { int z = x + y; { int x = 100; z += x; } return z; };
  x = 50;
  print(shadow(1));
  auto typed = [](int v) -> double { return v / 2; };
  print(typed(5));
}
