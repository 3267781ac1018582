// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: x + 1 in the arguments of a pure definition
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:5: error: an argument of the first definition of f is no Var, each should be one; an update may have others
f(x + 1, y) = in(x, y);
out(x, y) = f(x, y);
