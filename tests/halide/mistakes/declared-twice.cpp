// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: f is declared twice (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+2]]:6: error: 'f' is declared twice
// CHECK: :[[#@LINE-3]]:6: note: it is declared here before
Func f("f");
out(x, y) = f(x, y);
