// A Func that is read at values is a part of its readers, unless it is scheduled: then it is stored, for all that the
// index may be.
// RUN: pm-translate %s --to=pmir | FileCheck %s --implicit-check-not=@wide --implicit-check-not=@edge
// CHECK-DAG: stage.func @table
// CHECK-DAG: stage.func @out
// RUN: pm-translate %s --const=stores=true --to=pmir 2>&1 | FileCheck %s --check-prefix=STORED
// STORED: read-at-values.cpp:[[#@LINE+10]]:{{.*}} warning: wide takes 17180 MB for the smallest pictures: it is read at indices that may be many numbers
// STORED-DAG: stage.func @wide
GeneratorParam<bool> stores{"stores", false};
Input<Buffer<uint16_t, 2>> in{"in"};
Input<Buffer<float, 3>> flow{"flow"};
Output<Buffer<float, 2>> out{"out"};
Var x("x"), y("y"), v("v");
Func edge("edge");
edge = BoundaryConditions::repeat_edge(in);
Func wide("wide"), table("table");
wide(x, y) = cast<float>(edge(x, y));
table(v) = sqrt(cast<float>(v));
Expr ix = cast<int16_t>(x + flow(x, y, 0)), iy = cast<int16_t>(y + flow(x, y, 1));
out(x, y) = wide(ix, iy) + wide(ix + 1, iy) + table(in(x, y));
if (stores) {
    wide.compute_root();
}
