// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a second definition is an update, and its u and v are not the Vars of the first one (undefined variable u)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Var u("u"), v("v");
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:3: error: the Var u is at the position of x in this update of f, it should be that one
f(u, v) = in(v, u);
out(x, y) = f(x, y);
