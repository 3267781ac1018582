// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: doubles where an Expr should be: ambiguous (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
double half = 0.5;
Func f("f"), g("g");
// CHECK: :[[#@LINE+1]]:10: error: 0.25 is a double, which is ambiguous as an Expr; 0.25f or Expr(0.25) should be here
Expr e = 0.25;
// CHECK: :[[#@LINE+1]]:9: error: 0.5 is a double, which is ambiguous as an Expr; 0.5f or Expr(0.5) should be here
f(x, y) = 0.5;
// CHECK: :[[#@LINE+1]]:37: error: 1.0 is a double, which is ambiguous as an Expr; 1.0f or Expr(1.0) should be here
Expr a = max(cast<float>(in(x, y)), 1.0);
// CHECK: :[[#@LINE+1]]:37: error: 0.5 is a double, which is ambiguous as an Expr; 0.5f or Expr(0.5) should be here
Expr b = pow(cast<float>(in(x, y)), half);
// CHECK: :[[#@LINE+1]]:22: error: 2.5 is a double, which is ambiguous as an Expr; 2.5f or Expr(2.5) should be here
Expr c = cast<float>(2.5);
g(x, y) = Expr(0.5) + cast<double>(in(x, y));
// CHECK: :[[#@LINE+1]]:19: error: 1e+10 is a double, which is ambiguous as an Expr; 1e+10f or Expr(1e+10) should be here
std::vector<Expr> v = {1e10};
out(x, y) = cast<uint8_t>(g(x, y));
