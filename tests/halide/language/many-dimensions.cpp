// RUN: %python %lib/halide_values.py %s
// An update of ten loops, and a table of nine dimensions.
// in: in = 2x2x2x2x2 i32: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
// extents: out = 1 2 1 2 1
// expect: out = 1x2x1x2x1 i32: 528 536 544 552
Input<Buffer<int, 5>> in{"in"};
Output<Buffer<int, 5>> out{"out"};
Var a("a"), b("b"), c("c"), d("d"), e("e");
RDom r(0, 2, 0, 2, 0, 2, 0, 2, 0, 2);
Func deep("deep");
Var v[9];
deep(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]) = v[8] / 8;
deep.compute_root();
out(a, b, c, d, e) = b * 8 + d * 16 + deep(0, 0, 0, 0, 0, 0, 0, 0, a);
out(a, b, c, d, e) += in(r[0], r[1], r[2], r[3], r[4]);
