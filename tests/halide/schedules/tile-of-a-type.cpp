// A table of all that an int may be: half of it is more than a tile can be.
// RUN: pmc %s -o %t.c 2>&1 | FileCheck %s
// RUN: pmc %s --strategy=greedy -o %t.c
// CHECK: warning: l takes 17180 MB
// CHECK-NOT: error:
Input<Buffer<float, 2>> in{"in"};
Output<Buffer<float, 2>> out{"out"};
Var x("x"), y("y");
Func l("l");
l(x) = cast<float>(x);
out(x, y) = l(clamp(cast<int>(in(x, y)), -2147483647, 2147483647));
l.compute_root();
