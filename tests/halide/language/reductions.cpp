// RUN: %python %lib/halide_values.py %s
// sum, product, maximum, minimum of an RDom in an expression; the type is that of what is summed, so u8 wraps.
// in: in = 3x3 u8: 1 2 3 / 40 50 60 / 100 200 0
// extents: sums = 3
// extents: wide = 3
// extents: others = 3 3
// extents: box = 1 1
// expect: sums = 3 u8: 6 150 44
// expect: wide = 3 i32: 7 151 301
// expect: others = 3x3 u8: 6 3 1 / 192 60 40 / 0 200 0
// expect: box = 1x1 f32: 50.666668
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Func> sums{"sums", 1}, wide{"wide", 1}, others{"others", 2}, box{"box", 2};
Var x("x"), y("y");
RDom r(0, 3), b(-1, 3, -1, 3);
sums(y) = sum(in(r, y));
wide(y) = sum(cast<int>(in(r, y))) + 1;
others(x, y) = mux(x, {product(in(r, y)), maximum(in(r, y)), minimum(in(r, y))});
box(x, y) = sum(in(x + 1 + b.x, y + 1 + b.y) / 9.0f, "box_sum");
