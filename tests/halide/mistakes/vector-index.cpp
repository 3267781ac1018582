// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: index 3 of a vector of 3: undefined in C++, here a crash
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::vector<Func> f(3);
for (int i = 0; i <= 3; i++) {
// CHECK: :[[#@LINE+1]]:6: error: the index is 3, it should be 0 to 2
    f[i](x, y) = in(x, y) + cast<uint8_t>(i);
}
out(x, y) = f[0](x, y);
