// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a function of the program with too few and too many arguments (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr shifted(int by, int also = 0) { return in(x + by + also, y); }
// CHECK: :[[#@LINE+4]]:17: error: the call has 0 arguments, it should have 1
// CHECK: :[[#@LINE-2]]:6: note: it is defined here
// CHECK: :[[#@LINE+2]]:32: error: the call has 3 arguments, it should have 2
// CHECK: :[[#@LINE-4]]:6: note: it is defined here
Expr a = shifted(), b = shifted(1, 2, 3);
out(x, y) = shifted(1);
