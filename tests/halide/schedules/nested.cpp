// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@out, @a, @b], tile = [16 : index, 0 : index], inner = []}
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
out.split(y, yo, yi, 16).parallel(yo);
b.compute_at(out, yo);
a.compute_at(b, y);
