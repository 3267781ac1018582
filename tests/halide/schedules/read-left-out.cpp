// Where no call can be known to read inside of an input, none that reads it is taken: the others are.
// RUN: pm-translate %s --to=pmir 2>&1 | FileCheck %s
// CHECK: :[[#@LINE+7]]:49: warning: in is read at an index with the product y * stride, which is not known to stay inside; calls that come to it are refused, clamp(…) or a boundary condition keeps it inside
// CHECK-NOT: warning:
// CHECK: stage.pipeline @out context {{.*}}packed < 0{{.*}}packed >= 2{{.*}}packed = 1
Input<Buffer<uint8_t, 1>> in{"in"};
Input<int> stride{"stride"}, packed{"packed"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = cast<uint8_t>(select(packed == 0, in(y * stride + x), packed == 1, in(x), 0));
