// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an index with a product of what varies
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:15: error: in is read at an index with the product x * y, which is not known to stay inside; clamp(…) or a boundary condition keeps it inside
out(x, y) = in(x * y, y);
