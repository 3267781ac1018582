// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Expr without a value is used
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e;
// CHECK: :[[#@LINE+1]]:15: error: this Expr is not defined, it should have a value before it is used
out(x, y) = e + in(x, y);
