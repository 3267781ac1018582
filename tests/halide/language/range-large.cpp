// RUN: pm-translate %s --to=pmir 2>/dev/null | FileCheck %s
// Bounds beyond 2^30 are not those that intervals are made of.
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Func g("g");
RDom r(0, 1500000000);
g(x) = x + 1;
g.compute_root();
out(x) = 0;
out(x) += g(r) + g(r / 2);
// CHECK: stage.func @g : i32 on #isl.set<"[out_extent_0] -> { [x] : 0 <= x <= 1499999999 }">
