// RUN: %python %lib/halide_values.py %s
// A pure definition and updates, one after the other: at all points, at one, += and *= and -=, min of itself.
// in: in = 5 i32: 4 -2 7 0 3
// extents: out = 5
// expect: out = 5 i32: -286 16 53 40 51
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
out(x) = in(x);
out(x) += 10;
out(2) = 100;
out(x) *= x + 1;
out(0) -= out(2);
out(x) = min(out(x), 55 - x);
