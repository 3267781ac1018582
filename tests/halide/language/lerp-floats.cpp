// RUN: %python %lib/halide_values.py %s
// lerp of floats by a float, a u8 and a literal weight.
// in: a = 4 f32: 0 -1 10 0.5
// in: b = 4 f32: 1 1 -10 0.5
// in: w = 4 f32: 0 0.25 0.5 1
// in: n = 4 u8: 0 51 128 255
// extents: p = 4
// extents: q = 4
// extents: r = 4
// expect: p = 4 f32: 0 -0.5 0 0.5
// expect: q = 4 f32: 0 -0.59999996 -0.03921628 0.5
// expect: r = 4 f32: 0.75 0.5 -5 0.5
Input<Buffer<float, 1>> a{"a"}, b{"b"}, w{"w"};
Input<Buffer<uint8_t, 1>> n{"n"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1};
Var x("x");
p(x) = lerp(a(x), b(x), w(x));
q(x) = lerp(a(x), b(x), n(x));
r(x) = lerp(a(x), b(x), 0.75f);
