// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: three that have nothing to do with each other; what follows from them is not said
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f"), g("g");
// CHECK: :[[#@LINE+1]]:20: error: 300 does not fit uint8, the type of the other operand; a cast should say what is meant
f(x, y) = in(x, y) + 300;
g(x, y) = f(x, y) + f(x + 1, y);
g(x, 0) = f(x, 2);
g.compute_root();
// CHECK: :[[#@LINE+1]]:20: error: the function 'blurring' is not known here
Expr e = g(x, y) + blurring(x, y);
for (int i = 0; i < 10; i++) e = e + blurring(x + i, y);
std::vector<Func> v(3);
// CHECK: :[[#@LINE+1]]:16: error: in is called with 1 argument, it has 2
v[1](x, y) = in(x) / 2;
v[1](x, 0) = in(x, y);
v[1].update(0).vectorize(x, 8);
out(x, y) = v[1](x, y) + e;
