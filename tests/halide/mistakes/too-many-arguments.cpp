// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: f has two dimensions and is called with three arguments
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:14: error: f is called with 3 arguments, it has 2
out(x, y) = f(x, y, 0);
