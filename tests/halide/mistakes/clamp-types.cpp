// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a bound of clamp has another type than its first argument
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:32: error: the bound has type int32, which the type uint8 of what is clamped may not keep; a cast should say what is meant
out(x, y) = clamp(in(x, y), 0, x);
