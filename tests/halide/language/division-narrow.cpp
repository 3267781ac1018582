// RUN: %python %lib/halide_values.py %s
// Division of narrow types, with the least value by -1, and of floats; % of floats is that of floor.
// in: a = 4 i8: -128 -127 -1 127
// in: b = 4 u8: 0 7 128 255
// in: f = 4 f32: -7.5 -0.5 0.5 7.5
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 i8: 64 64 1 -63
// expect: q = 4 i8: 2 3 9 7
// expect: r = 4 u8: 0 7 20 30
// expect: s = 4 f32: -3.75 -0.25 0.25 3.75
// expect: t = 4 f32: 0.5 1.5 0.5 1.5
Input<Buffer<int8_t, 1>> a{"a"};
Input<Buffer<uint8_t, 1>> b{"b"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = a(x) / cast<int8_t>(-2);
q(x) = a(x) % cast<int8_t>(10);
r(x) = b(x) / 10 + b(x) % 10;
s(x) = f(x) / 2.0f;
t(x) = f(x) % 2.0f;
