// RUN: %python %lib/halide_values.py %s
// Parameters of any integer type in indices, in bounds of loops and in conditions: an int that is cast from one has
// its value.
// in: in = 6x4 u8: 1 2 3 4 5 6 / 11 12 13 14 15 16 / 21 22 23 24 25 26 / 31 32 33 34 35 36
// param: left = 2
// param: top = 1
// param: wide = 3
// param: far = 1
// param: n = 3
// param: kept = 4000000000
// extents: moved = 3 2
// extents: sums = 4
// extents: far_off = 2
// extents: chosen = 4 2
// extents: value = 3
// expect: moved = 3x2 u8: 13 14 15 / 23 24 25
// expect: sums = 4 u32: 33 36 39 42
// expect: far_off = 2 u32: 102 104
// expect: chosen = 4x2 u8: 1 2 3 14 / 11 12 13 24
// expect: value = 3 i32: -294967296 -294967295 -294967294
#include "Halide.h"
using namespace Halide;

class Coordinates : public Generator<Coordinates> {
public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  Input<uint32_t> left{"left"};
  Input<uint8_t> top{"top"};
  Input<uint16_t> wide{"wide"};
  Input<int64_t> far{"far"};
  Input<uint8_t> n{"n"};
  Input<uint32_t> kept{"kept"};
  Output<Buffer<uint8_t, 2>> moved{"moved"};
  Output<Buffer<uint32_t, 1>> sums{"sums"};
  Output<Buffer<uint32_t, 1>> far_off{"far_off"};
  Output<Buffer<uint8_t, 2>> chosen{"chosen"};
  Output<Buffer<int32_t, 1>> value{"value"};

  void generate() {
    moved(x, y) = in(x + left, y + cast<int>(top));

    RDom r(0, n);
    sums(x) = cast<uint32_t>(0);
    sums(x) += in(x, r);

    Func line;
    line(x) = cast<uint32_t>(in(x, 0));
    line(x) += cast<uint32_t>(100);
    far_off(x) = line(2 * x + cast<int>(far));

    chosen(x, y) = select(x < cast<int>(wide), in(x, y), in(x, y + 1));

    value(x) = cast<int>(kept) + x; // a value is the one that wraps
  }

private:
  Var x{"x"}, y{"y"};
};

HALIDE_REGISTER_GENERATOR(Coordinates, coordinates)
