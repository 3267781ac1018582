// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: -1 does not fit u8, the type of the other operand
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:27: error: -1 does not fit uint8, the type of the other operand; a cast should say what is meant
out(x, y) = max(in(x, y), -1);
