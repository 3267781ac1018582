// RUN: %python %lib/halide_values.py %s
// Regions whose Ranges the program sets; a conversion of a whole Buffer to a Func.
// extents: out = 6 2
// expect: out = 6x2 i32: 7 10 20 30 7 7 / 7 11 21 31 7 7
Output<Buffer<int, 2>> out{"out"};
Var x("x"), y("y");
Func ramp("ramp");
ramp(x, y) = x * 10 + y;
Region bounds(2);
bounds[0].min = 1;
bounds[0].extent = 3;
out(x, y) = BoundaryConditions::constant_exterior(ramp, 7, bounds)(x, y);
