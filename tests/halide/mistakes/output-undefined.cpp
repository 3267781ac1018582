// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the output is never defined
Input<Buffer<uint8_t, 2>> in{"in"};
// CHECK: :[[#@LINE+1]]:28: error: the output out is not defined
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
