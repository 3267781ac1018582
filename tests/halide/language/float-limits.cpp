// RUN: %python %lib/halide_values.py %s
// Numbers as floats in indices, however large, are no limits of the calls: only coordinates and parameters are.
// in: in = 4x2 u8: 1 2 3 4 / 11 12 13 14
// in: scale = 2 f32: 2 1
// extents: out = 4 2
// expect: out = 4x2 u8: 3 99 99 99 / 13 99 99 99
#include "Halide.h"
using namespace Halide;

class Limits : public Generator<Limits> {
public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  Input<Buffer<float, 1>> scale{"scale"};
  Output<Buffer<uint8_t, 2>> out{"out"};

  void generate() {
    Func inside = BoundaryConditions::constant_exterior(in, 99);
    Expr least = cast<float>(type_of<int>().min() + 1), most = cast<float>(type_of<int>().max() - 2);
    Expr sum = cast<float>(Expr(1 << 30) + Expr(1 << 30) / 2);
    Expr at = scale(0) * (cast<float>(x) + 0.5f) + min(scale(1), sum);
    at = select(at < least, least, select(at > most, most, at));
    out(x, y) = inside(cast<int>(floor(at)), y);
  }

private:
  Var x{"x"}, y{"y"};
};

HALIDE_REGISTER_GENERATOR(Limits, limits)
