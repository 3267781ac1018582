// RUN: %python %lib/halide_values.py %s
// Functions that take and return Func and Expr, overloads, a default argument, a template.
// in: in = 6 i32: 1 4 9 16 25 36
// extents: out = 4
// expect: out = 4 i32: 60 62 64 66
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Func difference(Func f, int step = 1) {
    Func d("difference");
    d(x) = f(x + step) - f(x);
    return d;
}
Expr scaled(Expr e, int by) { return e * by; }
Func scaled(Func f, Expr by) {
    Func s;
    s(x) = f(x) * by;
    return s;
}
template<typename T>
T doubled(T value) { return value + value; }
Func source("source");
source(x) = in(x);
out(x) = scaled(scaled(difference(difference(source)), 3)(x), doubled(5)) + doubled(Expr(x));
