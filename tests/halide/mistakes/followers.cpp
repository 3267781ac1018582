// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a number that is none, and all that would follow from it
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:17: error: this is an Expr, a number that is known while the program is compiled should be here
int n = in.width();
Func f("f");
for (int i = 0; i < n; i++) f(x, y) = in(x, y);
std::vector<int> k(n);
int a[n];
RDom r(0, n);
out(x, y) = in(x, y);
out(x, y) += in(r, n);
struct S { int a; } s = {n};
auto more = [](int q) { return q + 1; };
int z = more(n) + s.a + k[n] + a[0];
if (n) { z = 1; } else { z = 2; }
switch (n) { case 1: z = 1; }
std::string text = "a" + std::to_string(n);
