// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a list that holds itself, deeper and deeper
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
auto v = {1};
// CHECK: :[[#@LINE+1]]:1: error: the host code takes more than 1 GB, it should take less
while (true) v = {v, v};
out(x, y) = in(x, y);
