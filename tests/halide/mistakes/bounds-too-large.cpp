// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an output whose bound needs more than the input has
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
in.dim(0).set_bounds(0, 100);
// CHECK: :[[#@LINE+1]]:15: error: in is read outside of it, whatever its size is; clamp(…) or a boundary condition keeps it inside
out(x, y) = in(x + 1, y);
out.bound(x, 0, 100);
