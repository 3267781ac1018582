// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: Func has no member blur (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:15: error: a Func has no member 'blur'
out(x, y) = f.blur(3)(x, y);
