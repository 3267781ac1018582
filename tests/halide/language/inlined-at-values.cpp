// RUN: %python %lib/halide_values.py %s
// Funcs that nothing says of are a part of their readers, so what they read, and are read at, needs no bounds but
// those that the indices give.
// in: in = 4x3 u8: 1 200 3 40 / 5 60 7 80 / 90 10 110 12
// in: move = 4x3 i32: 1 -2 3 -4 / 5000000 -6 7 8 / 0 0 100 -200
// in: flow = 4x3 f32: 0.5 -1 2.25 0 / 1.5 3 -4 1 / 0 1 -1 0.5
// extents: curved = 4 3
// extents: there = 3 3
// extents: warped = 4 3
// extents: twice = 4 3
// extents: pairs = 4 3
// extents: sums = 4
// expect: curved = 4x3 f32: 1 2.4142137 3.1462643 3.732051 / 1 2.4494898 3.6457512 4.2426405 / 1.4142135 1 10 15.142136
// expect: warped = 4x3 f32: 402 130 98 129 / 406 98 198 98 / 200 174 138 249
// expect: there = 3x3 u8: 34 13 150 / 65 67 87 / 15 170 19
// expect: twice = 4x3 i32: 1000 13 122 13 / 183 139 183 179 / 450 130 213 209
// expect: pairs = 4x3 i32: 4 -1 43 -3 / 5000079 -2 86 87 / 8 8 110 -112
// expect: sums = 4 i32: 324 330 366 198
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int, 2>> move{"move"};
Input<Buffer<float, 2>> flow{"flow"};
Output<Buffer<float, 2>> curved{"curved"}, warped{"warped"};
Output<Buffer<uint8_t, 2>> there{"there"};
Output<Buffer<int, 2>> twice{"twice"}, pairs{"pairs"};
Output<Buffer<int, 1>> sums{"sums"};
Var x("x"), y("y"), v("v");
Func curve("curve"), xs("xs"), next("next"), wide("wide"), mirrored("mirrored"), other("other"), pair("pair"), far("far");
Func edge = BoundaryConditions::repeat_edge(in), zero = BoundaryConditions::constant_exterior(in, 9);
curve(v) = sqrt(cast<float>(abs(v) % 1000));
curved(x, y) = curve(move(x, y)) + curve(x - y);
xs(x, y) = x;
next(x, y) = xs(x, y) + 1;
there(x, y) = in(next(x, y), y) + in(xs(x, y), 2 - next(y, x) / 2);
wide(x, y) = cast<float>(edge(x, y)) + cast<float>(zero(x, y));
Expr ix = cast<int16_t>(x + flow(x, y)), iy = cast<int16_t>(y - flow(x, y));
warped(x, y) = wide(ix, iy) + wide(ix + 1, iy);
mirrored = BoundaryConditions::mirror_image(edge, {{0, 3}, {-1, 4}});
other(x, y) = cast<int>(mirrored(x, y)) + cast<int>(edge(x, y));
far(x, y) = other(x + move(x, y), y);
twice(x, y) = other(x + move(x, y), y) + far(x, y) + cast<int>(zero(move(x, y), y));
pair(x, y) = Tuple(cast<int>(edge(x + 1, y)), x - y);
pairs(x, y) = pair(move(x, y), y)[0] + pair(move(x, y), y)[1];
pair.compute_inline();
RDom r(0, 4);
sums(x) = 0;
sums(x) += other(move(r, 1) + x, clamp(move(x, 0), -5, 5));
