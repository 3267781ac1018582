// RUN: %python %lib/halide_values.py %s
// rounding_shift_right and _left, mul_shift_right, rounding_mul_shift_right.
// in: a = 5 u8: 0 3 7 200 255
// in: c = 5 i16: -32768 -7 -6 5 32767
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// expect: p = 5 u8: 0 1 2 50 64
// expect: q = 5 i16: -8192 -2 -1 1 8192
// expect: r = 5 i16: 0 -14 -12 10 -2
// expect: s = 5 i16: -20000 -5 -4 3 19999
// expect: t = 5 i16: -20000 -4 -4 3 19999
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int16_t, 1>> c{"c"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = rounding_shift_right(a(x), 2);
q(x) = rounding_shift_right(c(x), 2);
r(x) = rounding_shift_left(c(x), 1);
s(x) = mul_shift_right(c(x), cast<int16_t>(20000), 15);
t(x) = rounding_mul_shift_right(c(x), cast<int16_t>(20000), 15);
