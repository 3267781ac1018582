// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: one mistake that a loop comes to three times
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = in(x, y);
// CHECK: :[[#@LINE+1]]:39: error: in is called with 1 argument, it has 2
for (int i = 0; i < 3; i++) e = e + in(x);
out(x, y) = e;
