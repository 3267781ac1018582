// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: f has two values, and is used as an Expr without [i]
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = Tuple(in(x, y), x);
// CHECK: :[[#@LINE+1]]:14: error: f has values of 2 elements, [0] to [1] should choose one
out(x, y) = f(x, y) + 1;
