// RUN: %python %lib/halide_values.py %s
// Literals: hexadecimal, binary, of characters, with separators and suffixes; Expr of an int64_t is an i64.
// in: in = 3 u8: 0 16 255
// extents: out = 3
// extents: big = 3
// extents: wide = 3
// extents: half = 3
// expect: out = 3 u8: 46 30 77
// expect: big = 3 i32: 1000000 1000016 1000255
// expect: wide = 3 i64: 1099511627776 1133871366144 1647119958016
// expect: half = 3 f32: 2.1 10.1 129.6
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Func> out{"out", 1}, big{"big", 1}, wide{"wide", 1}, half{"half", 1};
Var x("x");
out(x) = (in(x) ^ 0xf0) + 'A' - 0b11;
big(x) = Expr(1'000'000) + in(x);
wide(x) = Expr(int64_t(1) << 40) + cast<int64_t>(in(x)) * Expr(int64_t(2147483648));
half(x) = in(x) * .5f + 1e-1f + 2.f;
