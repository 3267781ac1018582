// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the output is declared as u8, but its definition has i32
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:11: error: out is defined with a value of type int32, it is declared with uint8; a cast should make it so
out(x, y) = in(x, y) + x;
