// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Expr is a value of the pipeline, so the host cannot test it (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:14: error: the condition is an Expr, it should be known while the program is compiled; select(…) chooses at each point
if (in(x, y) > 3) {
    out(x, y) = cast<uint8_t>(1);
}
