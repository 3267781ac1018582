// RUN: %python %lib/halide_values.py %s
// Outputs of several ranks and extents, one of which another one reads.
// in: in = 4x2 i16: 1 2 3 4 / 5 6 7 8
// extents: half = 2 2
// extents: rows = 2
// extents: third = 4 2 2
// expect: half = 2x2 i16: 3 7 / 11 15
// expect: rows = 2 i32: 10 26
// expect: third = 4x2x2 f32: 1.5 1.5 3.5 3.5 / 5.5 5.5 7.5 7.5 // 10 10 10 10 / 26 26 26 26
Input<Buffer<int16_t, 2>> in{"in"};
Output<Buffer<int16_t, 2>> half{"half"};
Output<Buffer<int, 1>> rows{"rows"};
Output<Buffer<float, 3>> third{"third"};
Var x("x"), y("y"), c("c");
RDom r(0, 4);
half(x, y) = in(2 * x, y) + in(2 * x + 1, y);
rows(y) = 0;
rows(y) += in(r, y);
third(x, y, c) = select(c == 0, half(x / 2, y) * 0.5f, cast<float>(rows(y)));
