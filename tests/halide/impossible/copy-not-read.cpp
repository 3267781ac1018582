// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: copy-not-read.cpp:[[#]]:[[#]]: error: rows does not read sides, so it cannot read a copy in its place
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
sides(x, y) = rows(x, y) / 3;
out(x, y) = rows(x, y) / 2 + sides(x + 1, y) / 2;
sides.clone_in(rows).compute_root();
