// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an array of 10^10 in two dimensions
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:5: error: the host code takes more than 1 GB, it should take less
int b[100000][100000];
out(x, y) = in(x, y);
