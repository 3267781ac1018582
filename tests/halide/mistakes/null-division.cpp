// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an integer of the host is divided by 0: undefined in C++, here a signal
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
int n = 0;
// CHECK: :[[#@LINE+1]]:40: error: the divisor is 0, it should not be
out(x, y) = in(x, y) + cast<uint8_t>(7 / n);
