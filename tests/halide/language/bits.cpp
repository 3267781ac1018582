// RUN: %python %lib/halide_values.py %s
// & | ^ ~ of integers that are both signed or both unsigned; the narrower one is widened.
// in: a = 4 u8: 0 15 170 255
// in: b = 4 i16: -1 256 255 -32768
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 u8: 0 12 40 60
// expect: q = 4 u8: 0 15 170 255
// expect: r = 4 i16: -1 271 -171 32767
// expect: s = 4 u8: 255 240 85 0
// expect: t = 4 i16: 0 255 0 255
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int16_t, 1>> b{"b"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = a(x) & 0x3c;
q(x) = a(x) | cast<uint8_t>(x);
r(x) = cast<int8_t>(a(x)) ^ b(x);
s(x) = ~a(x);
t(x) = ~b(x) & 0xff;
