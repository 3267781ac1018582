// RUN: %python %lib/halide_values.py %s
// Expr that is undefined at first, compound assignments, defined(), Func::args, dimensions, a Func that is copied.
// in: in = 3x2 i32: 1 2 3 / 4 5 6
// extents: out = 3 2
// extents: numbers = 5
// expect: out = 3x2 i32: 19 15 15 / 46 42 42
// expect: numbers = 5 i32: 1 0 0 2 2
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> out{"out"};
Output<Buffer<int, 1>> numbers{"numbers"};
Var x("x"), y("y");
Expr e, never;
for (int i = 0; i < 3; i++) {
    Expr term = in((x + i) % 3, y) * (i + 1);
    e = e.defined() ? e + term : term;
}
e -= 1;
e *= 3;
e /= 2;
Func f("f"), undefined_func("g");
f(x, y) = e;
Func same = f;
std::vector<Var> args = same.args();
out(args[0], y) = same(args[0], args[1]);
numbers(x) = mux(x, {f.defined(), undefined_func.defined(), never.defined() ? 1 : 0, f.dimensions(),
                     (int)args.size()});
