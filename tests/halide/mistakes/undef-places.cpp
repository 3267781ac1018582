// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: elements that are undef under two conditions
Input<Buffer<int, 1>> in{"in"};
Output<Func> out{"out", {Int(32), Int(32)}, 1};
Var x("x");
RDom r(0, 6);
out(x) = {in(x), in(x)};
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: the elements of out are undef under different conditions, it should be one
out(r) = {select(in(r) > 5, 7, undef<int>()), out(r)[1] + 1};
