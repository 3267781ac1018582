// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an amount that is no amount: undefined in C++
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+2]]:11: error: the amount of the shift is 100, it should be 0 to 31
// CHECK: :[[#@LINE+1]]:25: error: the amount of the shift is -1, it should be 0 to 31
int a = 1 << 100, b = 1 >> -1;
out(x, y) = in(x, y);
