// RUN: %python %lib/halide_values.py %s
// saturating_cast<T> and of a Type: between signed and unsigned, from floats.
// in: a = 4 u16: 0 127 128 65535
// in: b = 4 i16: -32768 -1 128 32767
// in: f = 4 f32: -1e9 -0.99 127.5 1e9
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// extents: u = 4
// expect: p = 4 i8: 0 127 127 127
// expect: q = 4 u8: 0 0 128 255
// expect: r = 4 u16: 0 0 128 32767
// expect: s = 4 i16: 0 127 128 32767
// expect: t = 4 i16: -32768 0 127 32767
// expect: u = 4 u32: 0 0 128 32767
Input<Buffer<uint16_t, 1>> a{"a"};
Input<Buffer<int16_t, 1>> b{"b"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1};
Var x("x");
p(x) = saturating_cast<int8_t>(a(x));
q(x) = saturating_cast<uint8_t>(b(x));
r(x) = saturating_cast<uint16_t>(b(x));
s(x) = saturating_cast(Int(16), a(x));
t(x) = saturating_cast<int16_t>(f(x));
u(x) = saturating_cast<uint32_t>(b(x));
