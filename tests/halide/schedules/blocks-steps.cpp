// A serial loop inside of a block: the block in steps, what they share in a ring of local memory. Colours are not
// tiled; lanes are threads.
// REQUIRES: opencl
// RUN: pm-translate %s --target=opencl --to=pmir --remarks 2>&1 | FileCheck %s
// CHECK-DAG: poly.demand {how = "together", stages = [@out, @rows], tile = [2147483647 : index, 8 : index, 16 : index], inner = [2147483647 : index, 2 : index], items = [16 : index]}
// CHECK-DAG: remark: [halide] missed: the lanes of out are items as others are
// RUN: pm-translate %s --target=opencl --to=opencl | FileCheck %s --check-prefix=KERNEL
// KERNEL: reqd_work_group_size(16, 1, 1)
// KERNEL: __local uchar rows[
// RUN: %python %lib/ramp.py 19 35 %t.npy && %python %lib/opencl_devices.py oclgrind pm-run %s --target=opencl --in in=%t.npy --param out_extent_0=19 --param out_extent_1=35 --param out_extent_2=3 --check
Input<Buffer<uint16_t, 2>> in{"in"};
Output<Buffer<uint8_t, 3>> out{"out"};
Var x("x"), y("y"), c("c"), xi("xi"), yi("yi"), ys("ys");
Func rows("rows");
Func edge = BoundaryConditions::mirror_image(in);
rows(x, y, c) = cast<uint8_t>(edge(x, y) + edge(x + 1, y) * (c + 1));
out(x, y, c) = rows(x, y - 1, c) + rows(x, y, c) + rows(x, y + 1, c);
out.bound(c, 0, 3);
out.split(x, x, xi, 16).split(y, y, yi, 8).split(yi, ys, yi, 2).reorder(c, xi, yi, ys, x, y).gpu_blocks(x, y);
out.gpu_lanes(xi);
rows.store_at(out, x).compute_at(out, ys).gpu_threads(x);
