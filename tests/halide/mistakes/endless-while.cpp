// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: while (true)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
int i = 0;
// CHECK: :[[#@LINE+1]]:28: error: the host code takes more than 20000000 steps, it should end before
while (true) i = (i + 1) % 10;
out(x, y) = in(x, y);
