// The last directive says the kind of a loop: what was over threads is a vector, and an item computes the row of a tile.
// REQUIRES: opencl
// RUN: pm-translate %s --target=opencl --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@out], tile = [8 : index, 8 : index], inner = [], items = [8 : index, 1 : index]}
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), yo("yo");
Func rows("rows"), sides("sides");
rows(x, y) = in(x, y) / 2 + in(x, y + 1) / 2;
out(x, y) = rows(x, y) / 2 + rows(x + 1, y) / 2;
out.gpu_tile(x, y, xi, yi, 8, 8).vectorize(xi);
