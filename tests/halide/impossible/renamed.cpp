// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: renamed.cpp:[[#]]:[[#]]: error: xi is no loop of out that a directive has made
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), xo("xo");
out(x, y) = in(x, y) / 2;
out.split(y, y, xo, 8);
out.rename(xi, xo);
