// RUN: %python %lib/halide_values.py %s
// widening_add, _mul, _sub have twice the bits; the difference of unsigned values is signed.
// in: a = 4 u8: 0 100 200 255
// in: b = 4 u8: 255 200 200 255
// in: c = 4 i8: -128 -1 100 127
// in: d = 4 i16: -32768 32767 -1 300
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// extents: u = 4
// extents: v = 4
// expect: p = 4 u16: 255 300 400 510
// expect: q = 4 u16: 0 20000 40000 65025
// expect: r = 4 i16: -255 -100 0 0
// expect: s = 4 i16: 0 -100 20000 32385
// expect: t = 4 i32: 1073741824 1073676289 1 90000
// expect: u = 4 i16: -256 -2 200 254
// expect: v = 4 u16: 255 300 400 510
Input<Buffer<uint8_t, 1>> a{"a"}, b{"b"};
Input<Buffer<int8_t, 1>> c{"c"};
Input<Buffer<int16_t, 1>> d{"d"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1}, v{"v", 1};
Var x("x");
p(x) = widening_add(a(x), b(x));
q(x) = widening_mul(a(x), b(x));
r(x) = widening_sub(a(x), b(x));
s(x) = widening_mul(c(x), a(x));
t(x) = widening_mul(d(x), d(x));
u(x) = widening_add(c(x), c(x));
v(x) = widen_right_add(cast<uint16_t>(b(x)), a(x));
