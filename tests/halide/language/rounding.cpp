// RUN: %python %lib/halide_values.py %s
// floor, ceil, round (halves to even), trunc are floats; fract is what trunc leaves, with its sign.
// in: f = 8 f32: -2.5 -1.5 -0.5 -0.2 0.5 1.5 2.5 2.7
// extents: p = 8 4
// extents: q = 8
// extents: r = 8
// extents: s = 8
// expect: p = 8x4 f32: -3 -2 -1 -1 0 1 2 2 / -2 -1 -0 -0 1 2 3 3 / -2 -2 -0 -0 0 2 2 3 / -2 -1 -0 -0 0 1 2 2
// expect: q = 8 i32: -3 -2 -1 -1 0 1 2 2
// expect: r = 8 u8: 254 254 0 0 0 2 2 3
// expect: s = 8 f32: -0.5 -0.5 -0.5 -0.2 0.5 0.5 0.5 0.70000005
Input<Buffer<float, 1>> f{"f"};
Output<Buffer<float, 2>> p{"p"};
Output<Func> q{"q", 1}, r{"r", 1}, s{"s", 1};
Var x("x"), i("i");
p(x, i) = mux(i, {floor(f(x)), ceil(f(x)), round(f(x)), trunc(f(x))});
q(x) = cast<int>(floor(f(x)));
r(x) = cast<uint8_t>(cast<int>(round(f(x))));
s(x) = fract(f(x));
