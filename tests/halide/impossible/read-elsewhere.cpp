// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: read-elsewhere.cpp:[[#]]:[[#]]: error: rows is placed at the loop yo of out (its loops, from the outside: yo, yi, x), but sides, which is not computed there, reads it
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
sides(x, y) = rows(x, y) / 3;
out(x, y) = rows(x, y) / 2 + sides(x + 1, y) / 2;
out.split(y, yo, yi, 8);
sides.compute_root();
rows.compute_at(out, yo);
