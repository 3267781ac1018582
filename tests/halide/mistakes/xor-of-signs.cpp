// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: & of a u8 and an i32: both are signed, or both unsigned
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:22: error: the operands have types uint8 and int32, both should be signed or both unsigned
out(x, y) = in(x, y) & x;
