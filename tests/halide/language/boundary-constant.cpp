// RUN: %python %lib/halide_values.py %s
// constant_exterior of an input, and of a Func in a box that is given: outside any of its ranges the value counts.
// in: in = 3x2 u8: 1 2 3 / 4 5 6
// extents: out = 6 4
// extents: inside = 6 4
// extents: rows = 6 2
// expect: out = 6x4 u8: 9 9 9 9 9 9 / 9 9 1 2 3 9 / 9 9 4 5 6 9 / 9 9 9 9 9 9
// expect: rows = 6x2 u8: 77 1 2 3 77 77 / 77 4 5 6 77 77
// expect: inside = 6x4 i32: -1 -1 -1 -1 -1 -1 / -1 -1 -1 -1 -1 -1 / -1 21 22 23 -1 -1 / -1 31 32 33 -1 -1
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"}, rows{"rows"};
Output<Buffer<int, 2>> inside{"inside"};
Var x("x"), y("y");
Func outer = BoundaryConditions::constant_exterior(in, 9), ramp("ramp");
out(x, y) = outer(x - 2, y - 1);
ramp(x, y) = x + 10 * y;
inside(x, y) = BoundaryConditions::constant_exterior(ramp, -1, {{1, 3}, {2, 2}})(x, y);
// An undefined range is not looked at.
Func of_rows = BoundaryConditions::constant_exterior(in, cast<uint8_t>(77), {{0, in.width()}, {Expr(), Expr()}});
rows(x, y) = of_rows(x - 1, y);
