// RUN: %python %lib/halide_values.py %s
// / and % of mixed integers: of their common type, so that a u8 of 200 beside an i8 is -56; u32 beside i32 is i32.
// in: a = 4 u8: 7 200 255 100
// in: b = 4 i8: 2 3 -2 -3
// in: u = 4 u32: 7 4294967295 10 4000000000
// in: n = 4 i32: -2 3 0 -7
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 i8: 3 -19 1 -33
// expect: q = 4 i8: 1 1 1 1
// expect: r = 4 i32: -3 -1 0 42138186
// expect: s = 4 u32: 7 429496734 1 400000000
// expect: t = 4 i32: -3 66 0 -14
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int8_t, 1>> b{"b"};
Input<Buffer<uint32_t, 1>> u{"u"};
Input<Buffer<int, 1>> n{"n"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = a(x) / b(x);
q(x) = a(x) % b(x);
r(x) = u(x) / n(x);
s(x) = u(x) % 10 + u(x) / 10;
t(x) = a(x) / n(x);
