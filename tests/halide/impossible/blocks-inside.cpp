// RUN: exits-with 1 pm-translate %s --target=opencl --to=pmir 2>&1 | FileCheck %s
// CHECK: blocks-inside.cpp:[[#]]:[[#]]: error: the loop xi of out runs over blocks, but the loop x over threads is outside of it
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
out.split(x, x, xi, 8).gpu_threads(x).gpu_blocks(xi);
