// RUN: %python %lib/halide_values.py %s
// A boundary condition has the Vars of the Func that it reads, of a buffer _0 and _1: directives name them.
// in: in = 3x2 i32: 1 2 3 / 10 20 30
// extents: out = 5 3
// expect: out = 5x3 i32: 9 3 6 9 13 / 9 12 24 36 13 / 27 27 47 67 67
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> out{"out"};
Var x("x"), y("y");
Func twice("twice");
twice(x, y) = in(x, y) * 2;
Func around = BoundaryConditions::repeat_edge(twice, {{0, 3}, {0, 2}});
Func padded = BoundaryConditions::constant_exterior(in, 7);
out(x, y) = around(x - 1, y - 1) + padded(x - 1, y);
around.compute_root().vectorize(x, 4);
padded.compute_root().vectorize(_0, 4).parallel(_1);
