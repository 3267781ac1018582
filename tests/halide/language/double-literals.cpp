// RUN: %python %lib/halide_values.py %s
// Expr(0.1) is an f64; a float literal beside an integer Expr makes it f32. (`e * 0.1` is ambiguous in C++.)
// in: f = 3 f32: 0.1 1 -3
// in: i = 3 u8: 1 2 250
// extents: a = 3
// extents: b = 3
// extents: c = 3
// extents: d = 3
// expect: a = 3 f32: 0.6169 0.88600004 -0.30999997
// expect: b = 3 f32: 0.5 1 125
// expect: c = 3 f64: 0.1 0.2 25
// expect: d = 3 f64: 0.43333333482344943 1.3333333333333333 -2.6666666666666665
Input<Buffer<float, 1>> f{"f"};
Input<Buffer<uint8_t, 1>> i{"i"};
Output<Func> a{"a", 1}, b{"b", 1}, c{"c", 1}, d{"d", 1};
Var x("x");
a(x) = f(x) * Expr(0.299f) + 0.587f;
b(x) = i(x) * 0.5f;
c(x) = cast<double>(i(x)) * Expr(0.1);
d(x) = Expr(1.0 / 3) + cast<double>(f(x));
