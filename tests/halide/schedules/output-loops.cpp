// What an output says of its loops alone keeps no producer out of its group; compute_root() does.
// RUN: pm-translate %s --to=pmir --remarks 2>&1 | FileCheck %s
// RUN: pm-translate %s --to=pmir --const root=1 | FileCheck %s --check-prefix=ROOT
// RUN: %python %lib/ramp.py 19 45 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 19 45 %t.npy && pm-run %s --const root=1 --in in=%t.npy --check --threads=2
// CHECK: the loops of out are decided with those of its producers
// CHECK-NOT: poly.demand
// ROOT: poly.demand {how = "together", stages = [@out], tile = [8 : index, 0 : index]}
GeneratorParam<int> root("root", 0);
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), yo("yo"), yi("yi");
Func a("a");
a(x, y) = in(x, y) / 2 + in(x + 1, y);
out(x, y) = a(x, y) + a(x, y + 1);
out.split(y, yo, yi, 8).parallel(yo).vectorize(x, 8);
if (root == 1) out.compute_root();
