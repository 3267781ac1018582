// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a Tuple of three updates a Func of two values
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = Tuple(in(x, y), 0);
// CHECK: :[[#@LINE+1]]:9: error: this update of f has 2 arguments and 3 values, its first definition has 2 and 2
f(x, 0) = Tuple(in(x, 0), 1, 2);
out(x, y) = f(x, y)[0];
