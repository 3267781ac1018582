// RUN: %python %lib/halide_values.py %s
// u32, u64 and i64 wrap at their widths.
// in: u = 4 u32: 0 1 2147483648 4294967295
// in: v = 4 i64: -9223372036854775807 -1 5 9223372036854775807
// extents: a = 4
// extents: b = 4
// extents: c = 4
// extents: d = 4
// expect: a = 4 u32: 4294967294 4294967295 2147483646 4294967293
// expect: b = 4 u32: 0 1 1073741824 2147483646
// expect: c = 4 i64: -4611686018427387905 -2 1 4611686018427387902
// expect: d = 4 u64: 9223372036854775816 6 12 9223372036854775814
Input<Buffer<uint32_t, 1>> u{"u"};
Input<Buffer<int64_t, 1>> v{"v"};
Output<Buffer<uint32_t, 1>> a{"a"}, b{"b"};
Output<Buffer<int64_t, 1>> c{"c"};
Output<Buffer<uint64_t, 1>> d{"d"};
Var x("x");
a(x) = u(x) - 2;
b(x) = u(x) * 3 / 2;
c(x) = v(x) / 2 - 1;
d(x) = cast<uint64_t>(v(x)) + 7;
