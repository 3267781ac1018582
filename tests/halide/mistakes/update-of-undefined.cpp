// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the first definition of f is at (0, y), and 0 is no Var
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:3: error: an argument of the first definition of f is no Var, each should be one; an update may have others
f(0, y) = in(0, y);
out(x, y) = f(x, y);
