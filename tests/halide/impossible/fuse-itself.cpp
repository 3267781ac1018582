// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: fuse-itself.cpp:[[#]]:[[#]]: error: x is named twice
// CHECK: fuse-itself.cpp:[[#]]:[[#]]: error: the lists of tile should be as long as each other
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"}, other{"other"};
Var x("x"), y("y"), xi("xi"), yi("yi");
out(x, y) = in(x, y) / 2;
other(x, y) = in(x, y) / 3;
out.fuse(x, x, xi);
other.tile({x, y}, {xi}, {8, 4});
