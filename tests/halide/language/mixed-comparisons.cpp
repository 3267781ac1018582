// RUN: %python %lib/halide_values.py %s
// Comparisons, min, max, absd, && of mixed integers are of their common type: a u8 of 200 beside an i8 is -56.
// in: a = 4 u8: 3 200 255 128
// in: b = 4 i8: 5 5 -1 -128
// in: c = 4 i32: 3 200 -1 128
// extents: less = 4
// extents: same = 4
// extents: most = 4
// extents: wide = 4
// extents: apart = 4
// expect: less = 4 bool: 1 1 0 0
// expect: same = 4 bool: 0 0 1 1
// expect: most = 4 i8: 5 5 -1 -128
// expect: wide = 4 bool: 1 1 0 1
// expect: apart = 4 u32: 0 0 256 0
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int8_t, 1>> b{"b"};
Input<Buffer<int, 1>> c{"c"};
Output<Func> less{"less", 1}, same{"same", 1}, most{"most", 1}, wide{"wide", 1}, apart{"apart", 1};
Var x("x");
less(x) = a(x) < b(x);
same(x) = a(x) == b(x);
most(x) = max(a(x), b(x));
wide(x) = a(x) == c(x);
apart(x) = absd(cast<int>(a(x)), c(x));
