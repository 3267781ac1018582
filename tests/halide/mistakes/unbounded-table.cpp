// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an i32 from data as an index of a Func that is stored: it has no bounds
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int, 2>> at{"at"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func table("table");
table(x) = cast<uint8_t>(x * x);
table.compute_root();
// CHECK: :[[#@LINE+1]]:18: error: dimension 0 of table has no bounds: an index may be any number here; clamp(…) gives bounds, or --range=NAME=LOW:HIGH those of a parameter
out(x, y) = table(at(x, y));
