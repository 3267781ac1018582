// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: expected ; (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f")
// CHECK: :[[#@LINE+2]]:1: error: 'f' is here, ';' should be
// CHECK: :[[#@LINE+2]]:13: note: the function 'f' is needed here
f(x, y) = in(x, y);
out(x, y) = f(x, y);
