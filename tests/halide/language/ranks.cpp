// RUN: %python %lib/halide_values.py %s
// Three and four dimensions; indices in another order than the variables; a constant index.
// in: in = 2x2x2x2 u8: 1 2 / 3 4 // 5 6 / 7 8 /// 9 10 / 11 12 // 13 14 / 15 16
// extents: turned = 2 2 2 2
// extents: cube = 2 2 2
// extents: line = 2
// expect: turned = 2x2x2x2 u8: 1 9 / 5 13 // 3 11 / 7 15 /// 2 10 / 6 14 // 4 12 / 8 16
// expect: cube = 2x2x2 u8: 8 16 / 24 32 // 80 96 / 112 128
// expect: line = 2 u8: 13 12
Input<Buffer<uint8_t, 4>> in{"in"};
Output<Buffer<uint8_t, 4>> turned{"turned"};
Output<Buffer<uint8_t, 3>> cube{"cube"};
Output<Buffer<uint8_t, 1>> line{"line"};
Var x("x"), y("y"), z("z"), w("w");
turned(w, z, y, x) = in(x, y, z, w);
cube(x, y, z) = in(x, y, z, 0) * in(1, 1, 1, z);
line(x) = in(x, x, 1 - x, 1);
