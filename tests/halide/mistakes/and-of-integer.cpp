// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: && of a u8, no Bool
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:33: error: an operand of && has type uint8, it should be bool
out(x, y) = select(in(x, y) > 1 && in(x + 1, y), 1, 2);
