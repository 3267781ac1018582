// RUN: %python %lib/halide_values.py %s
// Inverse and hyperbolic functions, of f32 and of f64; atan2 is of the type of its first argument.
// in: f = 4 f32: -0.75 -0.25 0.5 1
// in: d = 3 f64: -0.75 0.25 0.5
// in: n = 3 i32: -2 0 3
// extents: angles = 4 4
// extents: hyperbolic = 4 3
// extents: wide = 3 4
// extents: mixed = 3
// extents: bits = 3
// extents: back = 3
// expect: angles = 4x4 f32: -0.8480621 -0.25268024 0.5235988 1.5707964 / 2.4188585 1.8234766 1.0471976 0 / -1.4382448
//   -1.19029 1.3734008 1.4711276 / -2.158799 -2.6779451 2.3561945 2.0344439
// expect: hyperbolic = 4x3 f32: 1.2946833 1.0314131 1.127626 1.5430806 / -1.8184465 -0.8813736 1.4436355 2.0947125 /
//   0.6931472 1.1588104 1.5667993 1.7627472
// expect: wide = 3x4 f64: -0.9729550745276566 0.25541281188299536 0.5493061443340548 / -2.356194490192345
//   2.356194490192345 0.7853981633974483 / -0.6351489523872873 0.24491866240370913 0.46211715726000974 / -4 2 3
// expect: mixed = 3 f32: -0.7853982 0 0.98279375
// expect: bits = 3 u64: 4604930618986332160 13821547256400052224 13826050856027422720
// expect: back = 3 f64: -0.7500000000000001 0.25000000000000006 0.5000000000000001
Input<Buffer<float, 1>> f{"f"};
Input<Buffer<double, 1>> d{"d"};
Input<Buffer<int, 1>> n{"n"};
Output<Buffer<float, 2>> angles{"angles"}, hyperbolic{"hyperbolic"};
Output<Buffer<double, 2>> wide{"wide"};
Output<Buffer<float, 1>> mixed{"mixed"};
Output<Buffer<uint64_t, 1>> bits{"bits"};
Output<Buffer<double, 1>> back{"back"};
Var x("x"), i("i");
Expr v = f(x), w = d(x);
angles(x, i) = mux(i, {asin(v), acos(v), atan(v * 10), atan2(v, -0.5f)});
hyperbolic(x, i) = mux(i, {cosh(v), asinh(v * 4), acosh(v + 2)});
wide(x, i) = mux(i, {atanh(w), atan2(w, f(x)), tanh(w), round(w * 6)});
mixed(x) = atan2(n(x), 2);
bits(x) = reinterpret<uint64_t>(d(x)) ^ (cast<uint64_t>(1) << 63);
back(x) = reinterpret<double>(reinterpret<int64_t>(w) + 1);
