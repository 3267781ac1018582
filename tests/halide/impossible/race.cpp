// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: race.cpp:[[#]]:[[#]]: error: the iterations of r_x cannot be parallel: this update of rows may write the same elements in several of them
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
RDom r(1, 7);
rows(x, 0) = rows(x, 0) / 2 + in(x + r, 1);
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
rows.compute_root();
rows.update().parallel(r);
