// RUN: %python %lib/halide_values.py %s
// mux takes one of several values by an index; the last one where it is out of range.
// in: a = 5 u8: 0 1 2 3 9
// extents: p = 5
// extents: q = 5 3
// expect: p = 5 i32: 10 20 32 33 34
// expect: q = 5x3 f32: 0 0.5 1 1.5 4.5 / 0 1 2 3 4 / 7 7 7 7 7
Input<Buffer<uint8_t, 1>> a{"a"};
Output<Func> p{"p", 1}, q{"q", 2};
Var x("x"), c("c");
p(x) = mux(a(x), {10, 20, 30 + x});
q(x, c) = mux(c, {a(x) / 2.0f, cast<float>(x), 7.0f});
