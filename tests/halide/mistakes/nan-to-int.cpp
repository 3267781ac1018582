// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: numbers of which no int is made: undefined in C++
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:13: error: this is nan, it should be near an integer
int a = 0.0 / 0.0;
// CHECK: :[[#@LINE+1]]:20: error: the length of a vector is 1e+300, it should be an integer
std::vector<int> v(1e300);
// CHECK: :[[#@LINE+1]]:15: error: this is nan, it should be near an integer
int b[int(0.0 / 0.0)];
out(x, y) = in(x, y);
