// Updates that read their own Func: loops over what they read at the index that they write are parallel, and along rows the
// innermost; along the others, and where there is none, the points keep their order.
// RUN: for s in '1 1' '3 5' %if !asan %{ '300 40' %} %if long %{ '1 7' '9 1' '17 33' %}; do %python %lib/ramp.py $s %t.npy && pm-run %s --in in=%t.npy --check --threads=2 || exit 1; done
// RUN: pm-translate %s --to=pmir --pass-pipeline=schedule | FileCheck %s
// CHECK: poly.band {{.*}}down_u0[x, r_x] -> [(floor((x)/256))] }]"> permutable coincident [1]
// CHECK: poly.band {{.*}}down_u0[x, r_x] -> [(r_x)] }]"> coincident [0]
// CHECK: poly.band {{.*}}down_u0[x, r_x] -> [(x)] }]"> coincident [1]
// CHECK: poly.band {{.*}}along_u0[y, r_x] -> [(y)] }]"> permutable coincident [1]
// CHECK: poly.band {{.*}}along_u0[y, r_x] -> [(y)] }, { along_u0[y, r_x] -> [(r_x)] }]"> coincident [1, 0]
// CHECK-NOT: permutable{{.*}}slanted
// CHECK: poly.band {{.*}}slanted_u0[x, r_x] -> [(x)] }, { slanted_u0[x, r_x] -> [(r_x)] }]"> coincident [0, 0]
// RUN: pmc %s -o %t.c --remarks=all 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: remark: [align-scale] missed: the points of this update of @slanted keep their order
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y");
Func edge = BoundaryConditions::repeat_edge(in);
Func down("down"), along("along"), slanted("slanted"), twice("twice");
Expr width = in.width(), height = in.height();
RDom r(1, 63, "r");
down(x, y) = edge(x, y);
down(x, r) = down(x, r - 1) / 2 + edge(x, r) / 2;
along(x, y) = down(x, y);
along(r, y) = along(r - 1, y) / 2 + edge(r, y) / 2;
slanted(x, y) = along(x, y);
slanted(x, r) = slanted(max(x - 1, 0), r - 1) + 1;
out(x, y) = slanted(x, y) + down(x, y) + in(x, y);
