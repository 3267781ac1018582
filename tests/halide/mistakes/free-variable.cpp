// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: y is no argument of f, but in its definition
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:14: error: the Var y is used in the definition of f, but is none of its arguments
f(x) = in(x, y);
out(x, y) = f(x);
