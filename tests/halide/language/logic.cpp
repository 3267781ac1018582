// RUN: %python %lib/halide_values.py %s
// Bool in expressions: of the host, of a Func, && in a loop, == of two Bools, select by a Func.
// in: in = 5 i32: -2 0 1 5 9
// extents: out = 5
// extents: range = 5
// extents: equal = 5
// expect: out = 5 i32: 2 2 11 11 10
// expect: range = 5 bool: 0 0 1 1 0
// expect: equal = 5 bool: 0 1 1 0 1
Input<Buffer<int, 1>> in{"in"};
Output<Func> out{"out", 1}, range{"range", 1}, equal{"equal", 1};
Var x("x");
Func positive("positive");
positive(x) = in(x) > 0;
Expr inside = cast<bool>(1);  // Expr(true) is an i32
for (int limit : {6, 8}) inside = inside && in(x) < limit;
range(x) = inside && positive(x);
equal(x) = positive(x) == (x % 2 == 0);
const bool verbose = false;
out(x) = select(positive(x) || verbose, cast<int>(inside) + 10, !inside, 1, 2);
