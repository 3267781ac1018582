// RUN: %python %lib/halide_values.py %s
// cast<T>, cast(type, e): integers wrap, floats lose what is behind the point, Bool is 0 or 1.
// in: a = 5 i32: -300 -1 0 255 70000
// in: f = 5 f32: -2.75 -0.5 0.5 2.75 200.99
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// extents: u = 5
// extents: v = 5
// expect: p = 5 u8: 212 255 0 255 112
// expect: q = 5 i16: -300 -1 0 255 4464
// expect: r = 5 f32: -1.171875 -0.00390625 0 0.99609375 273.4375
// expect: s = 5 i32: -2 0 0 2 200
// expect: t = 5 u8: 0 0 0 2 200
// expect: u = 5 bool: 0 1 0 1 0
// expect: v = 5 f32: -2 1 2 5 204
Input<Buffer<int, 1>> a{"a"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1}, v{"v", 1};
Var x("x");
p(x) = cast<uint8_t>(a(x));
q(x) = cast(Int(16), a(x));
r(x) = cast<float>(a(x)) / 256;
s(x) = cast<int>(f(x));
t(x) = cast<uint8_t>(clamp(f(x), 0, 255));
u(x) = cast<bool>(a(x));
v(x) = cast(f(x).type(), x) + cast<int16_t>(f(x));
