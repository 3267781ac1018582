// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Expr is no int of the host (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:21: error: this is an Expr, a number that is known while the program is compiled should be here
int width = in.width();
out(x, y) = in(width - 1 - x, y);
