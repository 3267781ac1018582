// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: ^ of a float: it needs integers
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:45: error: an operand of this has type float, it should be an integer
out(x, y) = cast<uint8_t>((in(x, y) * 0.5f) ^ 3);
