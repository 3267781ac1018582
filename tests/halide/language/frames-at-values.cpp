// RUN: %python %lib/halide_values.py %s
// RUN: pm-translate %s --from=halide --to=pmir | FileCheck %s
// CHECK-NOT: stage.func @repeat_edge
// Frames but the first are read at offsets that are values: of one frame there are none. What the offsets may
// reach of a boundary condition is never stored, though another Func reads it, too.
// in: in = 4x3 u8: 1 2 3 4 / 11 12 13 14 / 21 22 23 24
// in: offset = 2x3 i16: 0 0 / 1 -2 / 30000 -1
// extents: out = 4
// expect: out = 4 u32: 335 535 736 837
#include "Halide.h"
using namespace Halide;

class Frames : public Generator<Frames> {
public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  Input<Buffer<int16_t, 2>> offset{"offset"};
  Output<Buffer<uint32_t, 1>> out{"out"};

  void generate() {
    Func frame = BoundaryConditions::repeat_edge(in, {{0, in.width()}, {Expr(), Expr()}});
    Func first("first");
    RDom r(1, in.dim(1).extent() - 1);
    first(x) = cast<uint32_t>(frame(x, 0)) + frame(x + 1, 0);
    first.compute_root();
    out(x) = sum(cast<uint32_t>(frame(x + offset(0, r) + offset(1, r), r))) + 100 * first(x);
  }

private:
  Var x{"x"};
};

HALIDE_REGISTER_GENERATOR(Frames, frames)
