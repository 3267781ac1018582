// RUN: %python %lib/halide_values.py %s
// fast_integer_divide and lround.
// in: in = 4 u8: 200 13 255 7
// extents: out = 4
// expect: out = 4 i32: 2084 1003 108 1003
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
const int factor = std::lround(2.5);
out(x) = cast<int>(fast_integer_divide(in(x), cast<uint8_t>(7))) * factor +
         1000 * cast<int>(fast_integer_modulo(in(x), cast<uint8_t>(x + 3)));
