// RUN: %python %lib/halide_values.py %s
// Bins by a fraction of a number that the call gives: their number is its bound.
// in: in = 4x3 f32: 0 0.1 0.3 0.99 / 1 1.5 -3 0.5 / 0.25 0.75 0.6 0.2
// param: nbins = 5
// param: stretch = 7
// extents: bins = 5
// extents: lowest = 4 3
// expect: bins = 5 f32: 4 2 2 2 2
// expect: lowest = 4x3 i32: 0 0 4 9 / 9 9 0 9 / 1 9 9 1
Input<Buffer<float, 2>> in{"in"};
Input<int> nbins{"nbins"}, stretch{"stretch"};
Output<Buffer<float, 1>> bins{"bins"};
Output<Buffer<int, 2>> lowest{"lowest"};
Var x("x"), y("y");
RDom r(0, 4, 0, 3);
bins(x) = 0.0f;
bins(cast<int>(floor(clamp(in(r.x, r.y), 0.0f, 1.0f) * (nbins - 1)))) += 1.0f;
Func table("table");
table(x) = x * x;
table.compute_root();
lowest(x, y) = table(cast<int>(clamp(in(x, y), 0.0f, 0.5f) * stretch));
