// RUN: %python %lib/halide_values.py %s
// halving_add, halving_sub: as if wider, then halved and rounded down; rounding_halving_add: to the nearest, halves up.
// in: a = 5 u8: 0 3 200 255 255
// in: b = 5 u8: 1 4 101 255 254
// in: c = 5 i8: -128 -3 -2 100 127
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// extents: u = 5
// expect: p = 5 u8: 0 3 150 255 254
// expect: q = 5 u8: 1 4 151 255 255
// expect: r = 5 u8: 255 255 49 0 0
// expect: s = 5 i8: -1 48 -2 48 -1
// expect: t = 5 i8: -63 -1 0 51 64
// expect: u = 5 i8: -128 -52 0 51 127
Input<Buffer<uint8_t, 1>> a{"a"}, b{"b"};
Input<Buffer<int8_t, 1>> c{"c"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1};
Var x("x");
p(x) = halving_add(a(x), b(x));
q(x) = rounding_halving_add(a(x), b(x));
r(x) = halving_sub(a(x), b(x));
s(x) = halving_add(c(x), c(4 - x));
t(x) = rounding_halving_add(c(x), cast<int8_t>(1));
u(x) = halving_sub(c(x), c(4 - x));
