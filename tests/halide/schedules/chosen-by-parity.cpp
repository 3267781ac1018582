// What is chosen by the parity of a point is no coordinate: a Func of it that is an index stays a stage, so that its
// readers do not compute it anew.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK-DAG: stage.func @green
// CHECK-DAG: stage.func @curve
// CHECK-DAG: stage.func @out
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<float, 2>> out{"out"};
Var x("x"), y("y"), v("v");
Func green("green"), curve("curve");
green(x, y) = select((x + y) % 2 == 0, in(x, y), (in(x, y) + in(x + 1, y)) / 2);
curve(v) = sqrt(cast<float>(v));
out(x, y) = curve(green(x, y)) + curve(green(x + 1, y));
