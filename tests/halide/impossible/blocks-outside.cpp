// RUN: exits-with 1 pm-translate %s --target=opencl --to=pmir 2>&1 | FileCheck %s
// CHECK: blocks-outside.cpp:[[#]]:[[#]]: error: rows is placed at the loop yo of out, outside of the loop x over blocks; it should be at that or inside of it
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
out.split(y, yo, y, 64).gpu_tile(x, y, xi, yi, 8, 8).reorder(xi, yi, x, y, yo);
rows.compute_at(out, yo);
