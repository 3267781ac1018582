// RUN: %python %lib/halide_values.py %s
// A shift has the bits of the wider operand and the sign of the left one: u8 << i32 is u32. Below 0: the other way.
// in: a = 4 u8: 1 3 128 255
// in: b = 4 i16: -300 -5 5 300
// in: n = 4 i32: 1 2 -1 3
// in: m = 4 u8: 0 1 2 4
// in: k = 4 i8: 1 -1 2 -2
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 u32: 2 12 64 2040
// expect: q = 4 i16: -300 -3 1 18
// expect: r = 4 u8: 1 6 0 240
// expect: s = 4 i16: -600 -3 20 75
// expect: t = 4 u8: 0 6 32 252
Input<Buffer<uint8_t, 1>> a{"a"}, m{"m"};
Input<Buffer<int16_t, 1>> b{"b"};
Input<Buffer<int, 1>> n{"n"};
Input<Buffer<int8_t, 1>> k{"k"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = a(x) << n(x);
q(x) = b(x) >> m(x);
r(x) = a(x) << m(x);
s(x) = b(x) << k(x);
t(x) = a(x) >> k(x);
