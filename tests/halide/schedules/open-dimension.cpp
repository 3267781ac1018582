// A tile of one row of blocks, whatever their levels are: levels are outside of rows, and are not cut as these are.
// RUN: pm-translate %s --to=pmir | FileCheck %s --check-prefix=DEMAND
// DEMAND: poly.demand {how = "together", stages = [@near, @counts], tile = [1 : index, 0 : index], inner = []}
// RUN: pm-translate %s --to=pmir --pass-pipeline=schedule | FileCheck %s
// CHECK: poly.mark "group" tile [10, 8, 
// RUN: for s in '1 1' '9 1' %if !asan %{ '64 40' %} %if long %{ '1 7' '33 17' %}; do %python %lib/ramp.py $s %t.npy && pm-run %s --in in=%t.npy --check --threads=2 || exit 1; done
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), z("z");
Func edge = BoundaryConditions::repeat_edge(in);
RDom r(0, 8, 0, 8, "r");
Func counts("counts"), near("near");
Expr level = cast<int>(edge(8 * x + r.x, 8 * y + r.y) % 8);
counts(x, y, z) = cast<uint16_t>(0);
counts(x, y, level) += cast<uint16_t>(1);
near(x, y, z) = counts(x, y, z - 1) + counts(x, y, z) + counts(x, y, z + 1);
out(x, y) = near(x / 8, y / 8, cast<int>(in(x, y) % 8));
near.compute_root().reorder(x, z, y).parallel(y);
counts.compute_at(near, y);
