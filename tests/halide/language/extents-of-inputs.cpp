// RUN: %python %lib/halide_values.py %s
// The extents of inputs in expressions: width, height, channels, dim(i).min, max, extent; left, right, top, bottom.
// in: in = 4x3x2 u8: 0 1 2 3 / 4 5 6 7 / 8 9 10 11 // 12 13 14 15 / 16 17 18 19 / 20 21 22 23
// extents: out = 4 3
// extents: numbers = 10
// expect: out = 4x3 u8: 23 22 21 20 / 19 18 17 16 / 15 14 13 12
// expect: numbers = 10 i32: 4 3 2 0 2 0 3 0 2 3
Input<Buffer<uint8_t, 3>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Output<Buffer<int, 1>> numbers{"numbers"};
Var x("x"), y("y");
Expr last = in.dim(0).max();
out(x, y) = in(last - x, in.height() - 1 - y, in.dim(2).extent() - 1);
numbers(x) = mux(x, {in.width(), in.height(), in.channels(), in.dim(1).min(), in.dim(1).max(), in.left(), in.right(),
                     in.top(), in.bottom(), in.dimensions()});
