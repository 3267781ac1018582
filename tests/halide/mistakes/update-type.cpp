// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an update of a u8 Func with i32 values; a cast is needed
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:9: error: this update of f has a value of type int32, its first definition has uint8; a cast should make it so
f(x, 0) = x + y;
out(x, y) = f(x, y);
