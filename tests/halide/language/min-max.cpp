// RUN: %python %lib/halide_values.py %s
// min and max of two and more values, of mixed types.
// in: a = 4 u8: 0 10 200 255
// in: b = 4 i32: -1 10 300 7
// in: f = 4 f32: -0.5 10.5 3 300
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// expect: p = 4 u8: 0 10 100 100
// expect: q = 4 i32: 0 10 300 255
// expect: r = 4 f32: -1 10 3 7
// expect: s = 4 i32: 3 9 295 9
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int, 1>> b{"b"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1};
Var x("x");
p(x) = min(a(x), 100);
q(x) = max(a(x), b(x));
r(x) = min(f(x), a(x), b(x), 50.0f);
s(x) = max(min(a(x), 9), x, b(x) - 5, 3);
