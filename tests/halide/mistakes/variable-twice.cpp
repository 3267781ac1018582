// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: x is twice among the arguments of f
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:6: error: the Var x is twice among the arguments of f
f(x, x) = in(x, x);
out(x, y) = f(x, y);
