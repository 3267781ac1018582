// RUN: %python %lib/halide_values.py %s
// pow: by an integer literal it is a product, also of an integer; by floats it is exp and log.
// in: f = 4 f32: -2 0 0.5 3
// in: n = 4 i32: -2 0 3 10
// extents: p = 4
// extents: q = 4
// extents: r = 4
// extents: s = 4
// extents: t = 4
// expect: p = 4 f32: 4 0 0.25 9
// expect: q = 4 i32: -8 0 27 1000
// expect: r = 4 f32: 2.8284273 0 0.3535534 5.1961527
// expect: s = 4 f32: 0.25 1 1.4142137 8
// expect: t = 4 f64: 1.4142135623730951 0 0.7071067811865476 1.7320508075688772
Input<Buffer<float, 1>> f{"f"};
Input<Buffer<int, 1>> n{"n"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1};
Var x("x");
p(x) = pow(f(x), 2);
q(x) = pow(n(x), 3);
r(x) = pow(abs(f(x)), 1.5f);
s(x) = pow(2.0f, f(x));
t(x) = pow(cast<double>(abs(f(x))), Expr(0.5));
