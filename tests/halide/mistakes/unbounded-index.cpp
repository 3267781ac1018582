// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an i32 from data as an index: nothing bounds what is read of the input
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int, 2>> at{"at"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:15: error: in is read outside of it, whatever its size is; clamp(…) or a boundary condition keeps it inside
out(x, y) = in(at(x, y), y);
