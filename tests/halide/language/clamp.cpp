// RUN: %python %lib/halide_values.py %s
// clamp has the type of the first operand; bounds are literals or of the same type, and may cross.
// in: a = 5 i16: -300 -1 10 100 300
// in: f = 5 f32: -1.5 0 0.25 1 1.5
// in: n = 5 i32: -5 5 500 50 7
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// expect: p = 5 i16: 0 0 10 100 255
// expect: q = 5 f32: 0 0 0.25 1 1
// expect: r = 5 i32: 0 5 18 17 7
// expect: s = 5 i32: 0 0 10 50 7
// expect: t = 5 i32: 0 10 505 55 12
Input<Buffer<int16_t, 1>> a{"a"};
Input<Buffer<float, 1>> f{"f"};
Input<Buffer<int, 1>> n{"n"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = clamp(a(x), 0, 255);
q(x) = clamp(f(x), 0.0f, 1.0f);
r(x) = clamp(n(x), -x * 10, 20 - x);
s(x) = clamp(cast<int>(a(x)), 0, n(x));
t(x) = n(x) + clamp(cast<int>(7), 1, 5);
