// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: stored-nowhere.cpp:[[#]]:[[#]]: error: rows is stored at a loop of out, but it is not computed at one
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
rows.store_at(out, y);
