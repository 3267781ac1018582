// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: stage.func @c
// CHECK: stage.read @a_clone_in_c
// CHECK: stage.func @a_clone_in_c
// CHECK: stage.func @a_clone_in_out
// CHECK: stage.func @b_in_c
// CHECK: stage.read @b[
// CHECK: stage.func @in_in
// CHECK: stage.read @in[
// CHECK: poly.demand {how = "together", stages = [@b, @a], tile = [8 : index, 0 : index], inner = [1 : index]}
// CHECK: poly.demand {how = "together", stages = [@c, @a_clone_in_c, @b_in_c], tile = [1 : index, 0 : index], inner = []}
// CHECK: poly.demand {how = "together", stages = [@in_in]}
// CHECK: poly.demand {how = "inline", stages = [@a_clone_in_out]}
// RUN: %python %lib/ramp.py 1 1 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 1 7 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 9 1 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 17 33 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 64 40 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: pm-translate %s --schedule=none --to=pmir | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{clone_in|_in_}}
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func a("a"), b("b"), c("c");
a(x, y) = in(x, y) * 3;
b(x, y) = a(x, y) + a(max(x - 1, 0), max(y - 1, 0));
c(x, y) = b(x, y) / 16 + a(x, max(y - 2, 0)) / 8;
out(x, y) = c(x, y) - in(x, y) + a(x, y);
in.in().compute_root().vectorize(_0, 8);
b.compute_root().split(y, yo, yi, 8);
a.store_at(b, yo).compute_at(b, yi);
c.compute_root();
a.clone_in(c).compute_at(c, y);
a.clone_in(out).compute_inline();
b.in(c).compute_at(c, y);
