// What is not followed is a remark that says why, at its place; the values stay.
// RUN: pm-translate %s --to=pmir --remarks 2>&1 | FileCheck %s
Input<Buffer<uint8_t, 2>> in{"in"};
Input<int> k{"k"};
Output<Buffer<int, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), u("u");
RDom r(0, 8);
RVar ro("ro"), ri("ri");
Func f("f"), s("s");
f(x, y) = cast<int>(in(x, y)) + k;
s(x) = 0;
s(x) += in(x, r);
out(x, y) = f(x, y) + f(x, y + 1) + s(x);
// CHECK: [[#@LINE+3]]:{{.*}} TailStrategy::ShiftInwards of out is not followed: the last iterations are the points that are left
// CHECK: [[#@LINE+2]]:{{.*}} TailStrategy::RoundUp of out is not followed
// CHECK: [[#@LINE+1]]:{{.*}} prefetch of out is not followed: the optimizer
out.split(y, y, yi, 8, TailStrategy::ShiftInwards).vectorize(x, 8, TailStrategy::RoundUp).parallel(y).prefetch(in, y, y, 2);
// CHECK: [[#@LINE+1]]:{{.*}} specialize of out is not followed: there are no versions by conditions
out.specialize(k == 1).unroll(x);
// CHECK: [[#@LINE+3]]:{{.*}} fold_storage of f is not followed: the optimizer
// CHECK: [[#@LINE+2]]:{{.*}} reorder_storage of f is not followed: the optimizer
// CHECK: [[#@LINE+1]]:{{.*}} async of f is not followed: Funcs are computed by the threads of their loops
f.store_root().compute_at(out, yi).fold_storage(y, 16).reorder_storage(y, x).async();
s.compute_root();
s.update().split(r, ro, ri, 4);
// CHECK: [[#@LINE+1]]:{{.*}} rfactor of s is not followed: the optimizer makes partial results by itself
Func partial = s.update().rfactor(ro, u);
partial.compute_root().vectorize(x, 8);
