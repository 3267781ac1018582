// RUN: %python %lib/halide_values.py %s
// A function that is declared first has its defaults there; strides are those of dense arrays; a struct in an array.
// in: in = 3x2 i32: 1 2 3 / 4 5 6
// extents: out = 3 2
// expect: out = 3x2 i32: 14 19 24 / 29 34 39
using namespace Halide;
Expr plus(Expr a, int b = 5);
Expr plus(Expr a, int b) {
  return a + b;
}
Expr twice(Expr a) {
  return a * 2;
}
struct Row {
  const char *name;
  int n;
  Expr (*f)(Expr);
};
static Row rows[] = {{"one", 1, twice}, {"two", 2, twice}};
class Defaults : public Generator<Defaults> {
public:
  Input<Buffer<int, 2>> in{"in"};
  Output<Buffer<int, 2>> out{"out"};
  void generate() {
    Var x("x"), y("y");
    out(x, y) = plus(in(x, y)) + rows[1].f(in(x, y)) * rows[1].n + in.dim(1).stride() + in.dim(0).stride();
  }
};
HALIDE_REGISTER_GENERATOR(Defaults, defaults)
