// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the loop of the host never ends; it hangs
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = in(x, y);
for (int i = 0; i >= 0; i = (i + 1) % 10) {
// CHECK: :[[#@LINE+1]]:11: error: the expression is nested more than 3000 deep, Funcs should hold parts of it
    e = e + cast<uint8_t>(i);
}
out(x, y) = e;
