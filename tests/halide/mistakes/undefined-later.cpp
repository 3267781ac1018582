// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a Func that reads one that is defined later, twice
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f"), g("g");
// CHECK: :[[#@LINE+2]]:12: error: f is read before it is defined
// CHECK: :[[#@LINE+1]]:22: error: f is read before it is defined
g(x, y) = f(x, y) + f(x + 1, y);
f(x, y) = in(x, y);
out(x, y) = g(x, y);
