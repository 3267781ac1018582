// RUN: %python %lib/halide_values.py %s
// popcount, count_leading_zeros, count_trailing_zeros have the type of their operand; reinterpret keeps the bits.
// in: a = 5 u8: 1 2 16 170 255
// in: f = 5 f32: 0 1 -2 0.5 inf
// in: n = 5 i32: 1 -1 256 1065353216 -2147483648
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// extents: u = 5
// expect: p = 5 u8: 1 1 1 4 8
// expect: q = 5 u8: 7 6 3 0 0
// expect: r = 5 i32: 0 0 8 23 31
// expect: s = 5 u32: 0 1065353216 3221225472 1056964608 2139095040
// expect: t = 5 f32: 1e-45 -nan 3.59e-43 1 -0
// expect: u = 5 i8: 1 2 16 -86 -1
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<float, 1>> f{"f"};
Input<Buffer<int, 1>> n{"n"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1};
Var x("x");
p(x) = popcount(a(x));
q(x) = count_leading_zeros(a(x));
r(x) = count_trailing_zeros(n(x));
s(x) = reinterpret<uint32_t>(f(x));
t(x) = reinterpret<float>(n(x));
u(x) = reinterpret<int8_t>(a(x));
