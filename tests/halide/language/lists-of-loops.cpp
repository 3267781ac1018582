// RUN: %python %lib/halide_values.py %s
// Directives with lists of loops; loops that are fused where others are between them, or under the name of one.
// in: in = 4x3x2 i32: 1 2 3 4 / 5 6 7 8 / 9 10 11 12 // 13 14 15 16 / 17 18 19 20 / 21 22 23 24
// extents: out = 4 3 2
// extents: sums = 4 2
// expect: out = 4x3x2 i32: 20 30 40 50 / 60 70 80 90 / 100 110 120 130 // 140 150 160 170 / 180 190 200 210 / 220 230
//   240 250
// expect: sums = 4x2 i32: 18 21 24 27 / 54 57 60 63
Input<Buffer<int, 3>> in{"in"};
Output<Buffer<int, 3>> out{"out"};
Output<Buffer<int, 2>> sums{"sums"};
Var x("x"), y("y"), c("c"), xi("xi"), yi("yi"), xo("xo"), yo("yo"), f("f");
Func a("a"), b("b"), d("d");
a(x, y, c) = in(x, y, c) * 2;
b(x, y, c) = a(x, y, c) + 1;
d(x, y, c) = b(x, y, c) - in(x, y, c);
out(x, y, c) = d(x, y, c) * 10;
RDom r(0, 3);
sums(x, c) += d(x, r, c);
a.compute_root().tile({x, y}, {xi, yi}, {2, 2}).reorder({xi, yi, c, x, y}).fuse(c, x, x).parallel(x);
b.compute_root().tile({x, y}, {xo, yo}, {xi, yi}, {2, 2}, TailStrategy::GuardWithIf).fuse(xo, c, f);
d.compute_root().fuse(x, c, f).parallel(y).vectorize(f, 4);
out.fuse(c, x, c).parallel(c);
sums.update().reorder({c, x, r});
