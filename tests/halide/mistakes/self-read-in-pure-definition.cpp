// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: f is read in its own pure definition, so it has none yet
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:12: error: f is read before it is defined
f(x, y) = f(x - 1, y) + in(x, y);
out(x, y) = f(x, y);
