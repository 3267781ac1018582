// RUN: %python %lib/halide_values.py %s
// i8 and i16 wrap, too, also in the middle of an expression.
// in: in = 6 i8: -128 -100 -1 0 100 127
// extents: a = 6
// extents: b = 6
// extents: c = 6
// extents: d = 6
// expect: a = 6 i8: 0 56 -2 0 -56 -2
// expect: b = 6 i8: 0 8 0 0 8 0
// expect: c = 6 i16: -16384 30000 3 0 30000 -17149
// expect: d = 6 i16: -72 -44 -201 -200 -100 -73
Input<Buffer<int8_t, 1>> in{"in"};
Output<Buffer<int8_t, 1>> a{"a"}, b{"b"};
Output<Buffer<int16_t, 1>> c{"c"}, d{"d"};
Var x("x");
a(x) = in(x) + in(x);
b(x) = (in(x) * in(x)) / 2;
c(x) = cast<int16_t>(in(x)) * cast<int16_t>(in(x)) * 3;
d(x) = cast<int16_t>(in(x) - 100) - 100;
