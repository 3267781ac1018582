// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@a]}
// CHECK: poly.demand {how = "together", stages = [@b], tile = [4 : index, 0 : index]}
// CHECK: poly.demand {how = "together", stages = [@c]}
// RUN: %python %lib/ramp.py 1 1 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 1 7 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 9 1 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 3 5 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 17 33 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 64 40 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo"), t("t");
Func a("a"), b("b"), c("c");
Func edge = BoundaryConditions::repeat_edge(in);
a(x, y) = edge(x - 1, y) + 2 * edge(x, y) + edge(x + 1, y);
b(x, y) = a(x, y - 1) + 2 * a(x, y) + a(x, y + 1);
c(x, y) = b(x, y) / 16 + b(x + 1, y + 1) / 8;
out(x, y) = c(x, y) - in(x, y);
a.compute_root().parallel(y).vectorize(x, 8);
b.compute_root().split(y, yo, yi, 4).parallel(yo);
c.compute_root();
out.parallel(y);
