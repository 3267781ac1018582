// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a function of the host calls itself without end; the stack overflows
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:39: error: calls are nested more than 200 deep, the functions should not call each other for ever
Expr more(Expr e, int n) { return more(e + 1, n + 1); }
out(x, y) = more(in(x, y), 0);
