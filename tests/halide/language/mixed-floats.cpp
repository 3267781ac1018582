// RUN: %python %lib/halide_values.py %s
// An integer of any width and an f32 are f32; f64 and f32 are f64.
// in: a = 3 u8: 0 3 255
// in: b = 3 i32: -7 16777217 2147483647
// in: f = 3 f32: 0.1 0.5 -2.25
// extents: p = 3
// extents: q = 3
// extents: r = 3
// extents: s = 3
// extents: t = 3
// extents: u = 3
// expect: p = 3 f32: 0 1.5 -573.75
// expect: q = 3 f32: -6.9 16777216 2147483600
// expect: r = 3 f32: 0 0.3 25.5
// expect: s = 3 f32: 1.01 1.05 0.775
// expect: t = 3 f64: 0.010000000298023226 0.25 5.0625
// expect: u = 3 f32: -3.5 8388608 1073741800
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int32_t, 1>> b{"b"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1};
Var x("x");
p(x) = a(x) * f(x);
q(x) = b(x) + f(x);
r(x) = a(x) * 0.1f;
s(x) = f(x) * 0.1f + 1;
t(x) = cast<double>(f(x)) * f(x);
u(x) = b(x) / 2.0f;
