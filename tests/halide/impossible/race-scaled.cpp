// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: race-scaled.cpp:[[#@LINE+20]]:[[#]]: error: the iterations of r_y cannot be parallel: this update of a may write the same elements in several of them
// CHECK: race-scaled.cpp:[[#@LINE+20]]:[[#]]: error: the iterations of r_x cannot be parallel: this update of b may write
// CHECK: race-scaled.cpp:[[#@LINE+20]]:[[#]]: error: the iterations of r_x cannot be parallel: this update of c may write
// CHECK: race-scaled.cpp:[[#@LINE+20]]:[[#]]: error: the iterations of r_x cannot be parallel: this update of d may write
// CHECK-NOT: error:
Input<Buffer<uint8_t, 2>> in{"in"};
Input<int> n{"n"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, in.width(), 0, in.height());
Func a("a"), b("b"), c("c"), d("d");
a(x) = cast<uint8_t>(0);
b(x) = cast<uint8_t>(0);
c(x) = cast<uint8_t>(0);
d(x) = cast<uint8_t>(0);
a(r.y * 4 + r.x) = in(r.x, r.y);
b(r.x * n) = in(r.x, r.y);
c(r.x / 2) = in(r.x, r.y);
d(2 * r.x - (r.x + r.x)) = in(r.x, r.y);
out(x, y) = a(clamp(x, 0, 1)) + b(clamp(x, 0, 1)) + c(clamp(x, 0, 1)) + d(clamp(x, 0, 1));
a.compute_root().update().parallel(r.y);
b.compute_root().update().parallel(r.x);
c.compute_root().update().parallel(r.x);
d.compute_root().update().parallel(r.x);
