// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a sum written as a pure definition
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
RDom r(0, 4, "r");
// CHECK: [[#@LINE+1]]:6: error: the first definition of f has the RDom r, it should be pure: a sum over an RDom is sum(…), or an update behind it
f(x) = in(x, r);
out(x, y) = f(x);
