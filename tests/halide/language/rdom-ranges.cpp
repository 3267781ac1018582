// RUN: %python %lib/halide_values.py %s
// An RDom of one to three ranges, {} of pairs, of which x is the innermost; over an image; its variables by .x and [i].
// in: in = 3x2 u8: 1 2 3 / 4 5 6
// extents: sum = 2
// extents: order = 1
// extents: image = 1
// extents: three = 1
// expect: sum = 2 i32: 6 15
// expect: order = 1 i32: 2345
// expect: image = 1 i32: 272
// expect: three = 1 i32: 66
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<int, 1>> sum{"sum"}, order{"order"}, image{"image"}, three{"three"};
Var x("x");
RDom r(0, 3), q({{0, 2}, {1, 2}}, "q"), all(in), t(0, 2, 0, 2, 1, 2);
sum(x) = 0;
sum(x) += cast<int>(in(r, x));
order(x) = 0;
order(x) = order(x) * 10 + q.x + 2 * q[1];
image(x) = 1;
image(x) = image(x) * 3 % 1000 + in(all.x, all.y);
three(x) = 0;
three(x) += (t.x + 10 * t.y) * t.z;
