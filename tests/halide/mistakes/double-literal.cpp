// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: u8 * 0.5: ambiguous, 0.5f or Expr(0.5) is meant (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:36: error: 0.5 is a double, which is ambiguous as an Expr; 0.5f or Expr(0.5) should be here
out(x, y) = cast<uint8_t>(in(x, y) * 0.5);
