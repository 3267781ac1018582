// RUN: %python %lib/halide_values.py %s
// The quotient and the remainder of one coordinate in an index: nothing before the first point is read.
// in: in = 9 u8: 1 2 3 4 5 6 7 8 9
// param: p0 = 2
// extents: o0 = 3
// extents: o1 = 4
// expect: o0 = 3 i32: 2 4 6
// expect: o1 = 4 i32: 2 4 6 7
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> o0{"o0"};
Output<Buffer<int, 1>> o1{"o1"};
Input<int> p0{"p0"};
Var x("x");
Func f1("f1"), f2("f2");
f1(x) = cast<int>(in(x)) + in(clamp(x, 0, max(p0, 0)));
f2(x) = f1(x / 3 * 4 + x % 3);
o0(x) = f2(x);
o1(x) = f1(x);
