// RUN: %python %lib/halide_values.py %s
// abs of a signed integer is unsigned; absd of any integers, too. Of floats they are floats.
// in: a = 4 i8: -128 -1 0 127
// in: b = 4 i32: -2147483648 -5 5 2147483647
// in: u = 4 u8: 0 255 3 200
// in: f = 4 f32: -2.5 -0.0 0.5 inf
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// extents: u8s = 4
// extents: below = 4
// expect: p = 4 u8: 128 1 0 127
// expect: q = 4 u32: 2147483648 5 5 2147483647
// expect: r = 4 f32: 2.5 0 0.5 inf
// expect: s = 4 u8: 255 128 127 0
// expect: t = 4 f32: 3.5 1 0.5 inf
// expect: u8s = 4 u8: 200 252 252 200
// expect: below = 4 u32: 2147483642 4294967295 4294967295 2147483641
Input<Buffer<int8_t, 1>> a{"a"};
Input<Buffer<int, 1>> b{"b"};
Input<Buffer<uint8_t, 1>> u{"u"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u8s{"u8s", 1}, below{"below", 1};
Var x("x");
p(x) = abs(a(x));
q(x) = abs(b(x));
r(x) = abs(f(x));
s(x) = absd(a(x), cast<int8_t>(127));
t(x) = absd(f(x), 1.0f);
u8s(x) = absd(u(x), u(3 - x));
below(x) = abs(b(x)) - 6;
