// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for Halide, which would take as long; loops that are split for ever, and a step that no int is
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), yi("yi");
Func f("f");
f(x, y) = in(x, y) + 1;
f.compute_root();
for (int i = 0; i < 10; i++) f.vectorize(x, 8192);
out(x, y) = f(x, y);
out.compute_root();
// CHECK: :[[#@LINE+1]]:18: error: out has 64 loops, it should not get more
while (true) out.vectorize(x, 8);
