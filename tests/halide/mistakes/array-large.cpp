// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an array of 10^9
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:5: error: the length of the array is 1000000000, it should be 0 to 100000
int a[1000000000];
out(x, y) = in(x, y);
