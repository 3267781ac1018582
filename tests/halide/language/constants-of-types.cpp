// RUN: %python %lib/halide_values.py %s
// Numbers that are known are numbers in indices, too, of whatever type they are computed.
// in: in = 4x2 u8: 0 1 2 255 / 254 64 63 128
// extents: hist = 4 4
// extents: averages = 4 2
// extents: quotients = 8
// expect: hist = 4x4 u32: 4 1 0 0 / 0 0 1 0 / 0 0 0 1 / 0 0 0 1
// expect: averages = 4x2 u32: 574 387 771 1343 / 1145 765 768 1150
// expect: quotients = 8 i32: -4 1 4 1 -3 -1 -14 124
#include "Halide.h"
using namespace Halide;

class Constants : public Generator<Constants> {
public:
  GeneratorParam<int32_t> bins{"bins", 4};
  GeneratorParam<int32_t> window{"window", 3};
  Input<Buffer<uint8_t, 2>> in{"in"};
  Output<Buffer<uint32_t, 2>> hist{"hist"};
  Output<Buffer<uint32_t, 2>> averages{"averages"};
  Output<Buffer<int32_t, 1>> quotients{"quotients"};

  void generate() {
    RDom r(0, 4, 0, 2);
    Expr bin = cast<int32_t>(in(r.x, r.y) * cast<uint64_t>(bins) / (cast<uint64_t>(255) + 1));
    Expr other = cast<int32_t>(in(r.x, r.y) * cast<uint64_t>(bins - 1) / (cast<uint64_t>(256) - 1));
    hist(x, y) = cast<uint32_t>(0);
    hist(bin, other) += cast<uint32_t>(1);

    Func inside = BoundaryConditions::repeat_edge(in);
    Expr half = div_round_to_zero(Expr(window), 2);
    RDom w(-half, window, -half, window);
    averages(x, y) = sum(cast<uint32_t>(inside(x + w.x, y + w.y)));

    Expr n = -7, d = 2;
    quotients(x) = mux(x, {n / d, n % d, n / -d, n % -d, div_round_to_zero(n, d), mod_round_to_zero(n, d),
                           min(n, d) * max(n, d), cast<int32_t>(cast<uint8_t>(n) / cast<uint8_t>(d))});
  }

private:
  Var x{"x"}, y{"y"};
};

HALIDE_REGISTER_GENERATOR(Constants, constants)
