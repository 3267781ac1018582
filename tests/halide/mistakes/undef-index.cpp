// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an index without a value
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
RDom r(0, 6);
out(x) = in(x);
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: an index of this update is undef, it should have a value
out(select(in(r) > 5, r, undef<int>())) = 1;
