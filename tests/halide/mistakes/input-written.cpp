// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an input is defined; Halide accepts that silently, as an assignment to a temporary Expr without any effect
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:10: error: in is an input, it should not be defined
in(x, y) = 1;
out(x, y) = in(x, y);
