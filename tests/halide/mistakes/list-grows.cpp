// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a vector that grows for ever
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::vector<int> v;
// CHECK: :[[#@LINE+1]]:16: error: the list has 100000 items, it should not grow further
while (true) v.push_back(1);
out(x, y) = in(x, y);
