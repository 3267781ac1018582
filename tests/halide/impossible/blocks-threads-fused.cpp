// RUN: exits-with 1 pm-translate %s --target=opencl --to=pmir 2>&1 | FileCheck %s
// CHECK: blocks-threads-fused.cpp:[[#]]:[[#]]: error: the blocks of out have 2048 threads, they should have 1024 at most
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), t("t");
out(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out.tile(x, y, xi, yi, 64, 32).fuse(xi, yi, t).gpu_blocks(x, y).gpu_threads(t);
