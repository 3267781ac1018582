// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: copy-of-update.cpp:[[#]]:[[#]]: error: clone_in takes a Func, not one of its updates
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
rows(x, y) += in(x, y);
sides(x, y) = rows(x, y) / 3;
out(x, y) = rows(x, y) / 2 + sides(x + 1, y) / 2;
rows.update().clone_in(out).compute_root();
