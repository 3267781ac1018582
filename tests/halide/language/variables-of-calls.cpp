// RUN: %python %lib/halide_values.py %s
// Variables of calls: what is assigned to them defines the Func.
// extents: out = 3
// expect: out = 3 i32: 11012 132 10353
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Func f("f"), g("g");
f(x) = x;
FuncRef at_one = f(1);
at_one = 10;
auto at_two = f(2);
at_two += 5;
at_two *= 3;
g(x) = f(x) + 1;
std::vector<FuncRef> all;
all.push_back(g(0));
all.push_back(g(2));
all[0] = 100;
all[1] += at_one;
for (FuncRef &r : all) r += 1000;
Expr e = g(1);
e = e + 1;
out(x) = f(x) + g(x) * 10 + e;
