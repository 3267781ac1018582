// What nothing says of, and has updates, as the Funcs of sum(…) and argmin(…), is computed at the innermost loops of its
// readers: what it reads may be placed at a loop of them.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@out, @rows, @near], tile = [8 : index, 0 : index], inner = []}
// RUN: %python %lib/ramp.py 11 37 %t.npy && pm-run %s --in in=%t.npy --param out_extent_0=37 --param out_extent_1=11 --check
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<int, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi");
Func edge = BoundaryConditions::repeat_edge(in), rows("rows"), near("near"), weighted("weighted");
RDom r(-2, 5), q(0, 3, 0, 2);
rows(x, y) = edge(x, y - 1) + edge(x, y) * 2 + edge(x, y + 1);
near(x, y) = maximum(cast<int>(rows(x + r, y)) * (r + 3));
weighted(x, y) = 0;
weighted(x, y) += cast<int>(rows(x + q.x, y + q.y)) * (q.x + 2 * q.y);
out(x, y) = near(x, y) + weighted(x, y) + argmin(abs(cast<int>(rows(x + r, y)) - 100))[0] + sum(q, cast<int>(near(x + q.x, y)));
out.tile(x, y, xi, yi, 16, 8).vectorize(xi).parallel(y);
near.compute_at(out, x);
rows.compute_at(out, x);
