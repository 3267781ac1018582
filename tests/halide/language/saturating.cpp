// RUN: %python %lib/halide_values.py %s
// saturating_add and saturating_sub stay in the range of the type.
// in: a = 4 u8: 0 100 200 255
// in: b = 4 u8: 1 100 100 255
// in: c = 4 i8: -128 -100 100 127
// in: d = 4 i16: -32768 -1 1 32767
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 u8: 1 200 255 255
// expect: q = 4 u8: 0 0 100 0
// expect: r = 4 i8: -128 -128 127 127
// expect: s = 4 i8: -128 -128 127 127
// expect: t = 4 i16: -32768 -2 2 32767
Input<Buffer<uint8_t, 1>> a{"a"}, b{"b"};
Input<Buffer<int8_t, 1>> c{"c"};
Input<Buffer<int16_t, 1>> d{"d"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = saturating_add(a(x), b(x));
q(x) = saturating_sub(a(x), b(x));
r(x) = saturating_add(c(x), c(x));
s(x) = saturating_sub(c(x), c(3 - x));
t(x) = saturating_sub(d(x), d(3 - x));
