// RUN: %python %lib/halide_values.py %s
// strict_float keeps each rounding; is_nan, is_inf, is_finite.
// in: f = 4 f32: 1e8 0.1 inf nan
// extents: p = 4
// extents: q = 4
// expect: p = 4 f32: 0 3 -nan nan
// expect: q = 4 i32: 3 3 2 1
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1};
Var x("x");
p(x) = strict_float((f(x) + 3.0f) - f(x));
q(x) = select(is_nan(f(x)), 1, is_inf(f(x)), 2, strict_float(is_finite(f(x))), 3, 4);
