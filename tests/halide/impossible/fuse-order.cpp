// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: fuse-order.cpp:[[#]]:[[#]]: error: r_y would run inside of {{.*}}, but the order in which this update of out comes to an element counts
// CHECK-NOT: error:
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
RDom r(0, 3, 0, 4, "r");
RVar both("both");
out(x) = 0;
out(x) = out(x) * 2 + in(x + r.x, r.y);
out.update().fuse(r.y, r.x, both);
