// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a map of a million, each looked for among all
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::map<int, int> m;
// CHECK: :[[#@LINE+1]]:31: error: the host code takes more than 20000000 steps, it should end before
for (int i = 0; i < 1000000; i++) m[i] = i;
out(x, y) = in(x, y);
