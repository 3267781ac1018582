// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@out, @a], tile = [4 : index, 16 : index], inner = []}
// RUN: %python %lib/ramp.py 17 33 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo"), t("t");
Func a("a");
Func edge = BoundaryConditions::repeat_edge(in);
a(x, y) = edge(x - 1, y) + 2 * edge(x, y) + edge(x + 1, y);
out(x, y) = a(x, y - 1) + a(x, y + 1) - in(x, y);
out.tile(x, y, xo, yo, xi, yi, 16, 4);
out.rename(xo, t);
a.compute_at(out, t);
