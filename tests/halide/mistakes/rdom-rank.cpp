// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an RDom of three numbers: each dimension has a min and an extent (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:6: error: an RDom should be made from a min and an extent for each of at most 16 dimensions
RDom r(0, 4, 1);
out(x, y) = in(x, y);
out(x, y) += in(r.x, y);
