// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: extents that no array has
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:11: error: the extent is 5000000000, it should be 1 to 2147483647
in.dim(0).set_bounds(0, 5000000000);
// CHECK: :[[#@LINE+1]]:11: error: the extent is -3, it should be 1 to 2147483647
in.dim(1).set_extent(-3);
out(x, y) = in(x, y);
