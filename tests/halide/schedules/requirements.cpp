// Calls are checked for what is affine in parameters and extents.
// RUN: pm-translate %s --to=pmir --remarks=all 2>&1 | FileCheck %s
// CHECK: :[[#@LINE+14]]:{{[0-9]+}}: remark: [halide] missed: calls are not checked for this requirement, which is not affine in int parameters
// CHECK-NOT: not checked
// CHECK: context {{.*}} : in_extent_1 = 3 and n >= 2 and 0 < out_extent_0 <= in_extent_0 and 0 < out_extent_1 <= 3
#include "Halide.h"
using namespace Halide;
class Required : public Generator<Required> {
public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  Input<int> n{"n"};
  Output<Buffer<uint8_t, 2>> out{"out"};
  Var x{"x"}, y{"y"};
  void generate() {
    out(x, y) = in(x, y) + cast<uint8_t>(n);
    add_requirement(in.dim(1).extent() == 3);
    add_requirement(n * in.width() > 4, "with", n);
    add_requirement(n > 1 && in.height() > 2, "with a message");
  }
};
HALIDE_REGISTER_GENERATOR(Required, required)
