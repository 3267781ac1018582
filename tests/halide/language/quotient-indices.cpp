// RUN: %python %lib/halide_values.py %s
// Indices that are quotients of sums: of coordinates, and of coordinates and values.
// in: in = 4x3 u8: 1 2 3 4 / 5 6 7 8 / 9 10 11 12
// in: shift = 4x3 i16: 0 1 -1 2 / -3 0 4 1 / 0 0 -2 1
// extents: out = 4 3
// extents: moved = 4 3
// expect: out = 4x3 u8: 4 5 6 7 / 7 12 13 14 / 15 16 22 23
// expect: moved = 4x3 i32: 14 20 27 28 / 25 44 48 52 / 61 66 72 69
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int16_t, 2>> shift{"shift"};
Output<Buffer<uint8_t, 2>> out{"out"};
Output<Buffer<int, 2>> moved{"moved"};
Var x("x"), y("y");
Func edge = BoundaryConditions::repeat_edge(in), f("f"), half("half"), kept("kept");
f(x, y) = edge(x, y);
f(x, 0) += cast<uint8_t>(1);
out(x, y) = f(x, (3 * y + x) / 4) + f((3 * y + x) / 4, clamp(y, -1, 2));
RDom r(0, 4);
half(x, y) = edge(2 * x, y) / 2 + edge(2 * x + 1, y) / 2;
kept(x, y) = cast<int>(half(x, y));
moved(x, y) = sum(cast<int>(half(x * 16 / 2 + r + shift(x, y), y))) + kept((x * 4 + shift(x, y)) / 3, y) +
              kept((5 * y - x + shift(x, y)) % 4, (x + y) / 2);
kept.compute_root();
