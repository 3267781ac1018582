// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: own-loop.cpp:[[#]]:[[#]]: error: rows is computed at a loop of rows, which is computed in its own loops
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
rows.compute_at(rows, x);
