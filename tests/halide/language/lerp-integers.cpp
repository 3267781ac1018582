// RUN: %python %lib/halide_values.py %s
// lerp of u8, u16 by weights of unsigned integers, whose greatest value is 1, and of floats; the result is rounded.
// in: a = 5 u8: 0 10 100 255 255
// in: b = 5 u8: 255 20 50 0 254
// in: w = 5 u8: 0 100 128 255 200
// in: f = 5 f32: 0 0.25 0.5 0.75 1
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// expect: p = 5 u8: 0 14 75 0 254
// expect: q = 5 u8: 0 12 75 64 254
// expect: r = 5 u16: 0 3578 19250 0 65333
// expect: s = 5 u8: 0 14 75 0 254
// expect: t = 5 i16: -128 -114 -53 -128 126
Input<Buffer<uint8_t, 1>> a{"a"}, b{"b"}, w{"w"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = lerp(a(x), b(x), w(x));
q(x) = lerp(a(x), b(x), f(x));
r(x) = lerp(cast<uint16_t>(a(x)) * 257, cast<uint16_t>(b(x)) * 257, w(x));
s(x) = lerp(a(x), b(x), cast<uint16_t>(w(x)) * 257);
t(x) = lerp(cast<int16_t>(a(x)) - 128, cast<int16_t>(b(x)) - 128, w(x));
