// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: expected } at the end (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = 0;
// CHECK: :[[#@LINE+1]]:29: error: '{' is never closed, '}' should follow
for (int i = 0; i < 3; i++) {
    e += in(x + i, y);
out(x, y) = e;
