// RUN: %python %lib/halide_values.py %s
// << and >> of signed and unsigned values, by negative amounts (the other direction), by an Expr.
// in: a = 4 i16: -32768 -5 5 16384
// in: u = 4 u8: 1 3 128 255
// in: n = 4 i32: 0 1 2 3
// extents: left = 4
// extents: right = 4
// extents: uleft = 4
// extents: uright = 4
// extents: by = 4
// extents: back = 4
// expect: left = 4 i16: 0 -10 10 -32768
// expect: right = 4 i16: -16384 -3 2 8192
// expect: uleft = 4 u8: 2 6 0 254
// expect: uright = 4 u8: 0 1 64 127
// expect: by = 4 i32: 100 202 408 824
// expect: back = 4 i32: -65536 -5 2 4096
Input<Buffer<int16_t, 1>> a{"a"};
Input<Buffer<uint8_t, 1>> u{"u"};
Input<Buffer<int, 1>> n{"n"};
Output<Func> left{"left", 1}, right{"right", 1}, uleft{"uleft", 1}, uright{"uright", 1}, by{"by", 1}, back{"back", 1};
Var x("x");
left(x) = a(x) << 1;
right(x) = a(x) >> 1;
uleft(x) = u(x) << 1;
uright(x) = u(x) >> 1;
by(x) = (x + 100) << n(x);
back(x) = cast<int>(a(x)) >> (n(x) - 1);
