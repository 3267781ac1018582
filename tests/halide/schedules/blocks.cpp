// Groups of work-items: what is computed in their blocks meets in local memory, what is in loops of threads is inlined.
// REQUIRES: opencl
// RUN: pm-translate %s --target=opencl --to=pmir --remarks 2>&1 | FileCheck %s
// CHECK-DAG: poly.demand {how = "together", stages = [@out, @a, @sums], tile = [8 : index, 32 : index], inner = [], items = [4 : index, 16 : index]}
// CHECK-DAG: poly.demand {how = "inline", stages = [@c]}
// CHECK-DAG: blocks.cpp:[[#]]:[[#]]: remark: [halide] missed: store_in(MemoryType::Heap) of a is not followed: the items of a block share it
// RUN: pm-translate %s --target=opencl --to=opencl | FileCheck %s --check-prefix=KERNEL
// KERNEL: reqd_work_group_size(16, 4, 1)
// KERNEL: __local ushort a[
// KERNEL: __local uint sums[
// KERNEL: barrier(
// RUN: %python %lib/ramp.py 1 1 %t.npy && %python %lib/opencl_devices.py oclgrind pm-run %s --target=opencl --in in=%t.npy --check
// RUN: %python %lib/ramp.py 11 37 %t.npy && %python %lib/opencl_devices.py oclgrind pm-run %s --target=opencl --in in=%t.npy --check
// What was decided is written in the same words, and read back.
// RUN: pm-translate %s --target=opencl --print-schedule -o %t.schedule && FileCheck %s --check-prefix=WORDS < %t.schedule
// WORDS: out.split(x, x_o, x_i, 32).split(x_i, x_k, x_t, 16).split(y, y_o, y_i, 8).split(y_i, y_k, y_t, 4).reorder(x_t, y_t, x_k, y_k, x_o, y_o).gpu_blocks(x_o, y_o).gpu_threads(x_t, y_t);
// WORDS: a.compute_at(out, x_o);
// RUN: pm-translate %s --target=opencl --to=opencl | grep -v '/\* .*:' > %t.1 && pm-translate %s --target=opencl --schedule=%t.schedule --to=opencl | grep -v '/\* .*:' | cmp - %t.1
// Elsewhere they are loops.
// RUN: pm-run %s --in in=%t.npy --check --remarks=all 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: blocks.cpp:[[#]]:[[#]]: remark: [halide] missed: gpu_tile of out is not followed: the target has no groups of work-items, its loops are loops as others are
// OTHER: check: {{.*}} equal
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), t("t");
Func a("a"), c("c"), sums("sums");
RDom r(0, 3);
Func edge = BoundaryConditions::repeat_edge(in);
a(x, y) = edge(x - 1, y) + 2 * edge(x, y) + edge(x + 1, y);
sums(x, y) = cast<uint32_t>(0);
sums(x, y) += cast<uint32_t>(a(x, y + r));
c(x, y) = sums(x, y) / 16 + sums(x + 1, y + 1) / 8;
out(x, y) = cast<uint16_t>(c(x, y)) - in(x, y);
out.compute_root().gpu_tile(x, y, xi, yi, 32, 8).unroll(xi, 2).unroll(yi, 2);
if (get_target().has_gpu_feature() != get_target().has_feature(Target::OpenCL)) {
    out.no_such_directive();
}
a.compute_at(out, x).gpu_threads(x, y).tile(x, y, xi, yi, 2, 2).unroll(xi).store_in(MemoryType::Heap);
sums.compute_at(out, x).gpu_threads(x, y).store_in(MemoryType::GPUShared).update().gpu_threads(x, y);
c.compute_at(out, xi).store_in(MemoryType::Register);
