// Loops of blocks, and loops of threads, that are fused: both halves are, their items multiply.
// REQUIRES: opencl
// RUN: pm-translate %s --target=opencl --to=pmir | FileCheck %s
// CHECK-DAG: poly.demand {how = "together", stages = [@out, @a, @b], tile = [8 : index, 16 : index], inner = [], items = [8 : index, 16 : index]}
// CHECK-DAG: poly.demand {how = "inline", stages = [@c]}
// RUN: pm-translate %s --target=opencl --to=opencl | FileCheck %s --check-prefix=KERNEL
// KERNEL: reqd_work_group_size(16, 8, 1)
// KERNEL: __local ushort a[
// RUN: %python %lib/ramp.py 11 37 %t.npy && %python %lib/opencl_devices.py oclgrind pm-run %s --target=opencl --in in=%t.npy --check
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), blocks("blocks"), threads("threads");
Func a("a"), b("b"), c("c");
Func edge = BoundaryConditions::repeat_edge(in);
a(x, y) = edge(x - 1, y) + 2 * edge(x, y) + edge(x + 1, y);
b(x, y) = a(x, y - 1) + 2 * a(x, y) + a(x, y + 1);
c(x, y) = b(x, y) / 16 + b(x + 1, y + 1) / 8;
out(x, y) = c(x, y) - in(x, y);
out.tile(x, y, xo, yo, xi, yi, 16, 8).fuse(xo, yo, blocks).fuse(xi, yi, threads);
out.gpu_blocks(blocks).gpu_threads(threads);
a.compute_at(out, blocks);
b.compute_at(out, blocks);
c.compute_at(out, threads);
