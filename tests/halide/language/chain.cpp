// A thousand Funcs that each read the one before.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: 0 < out_extent_0 <= -999 + in_extent_0
// CHECK: stage.output @out
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::vector<Func> f(1000);
for (int i = 0; i < 1000; i++) f[i](x, y) = i == 0 ? Expr(in(x, y)) : f[i - 1](x, y) + f[i - 1](x + 1, y);
out(x, y) = f[999](x, y);
