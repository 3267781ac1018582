// RUN: %python %lib/halide_values.py %s
// A stencil over a padded picture in f32, of three planes whose dimension of channels is not padded.
// in: in = 3x2x2 f32: 1 2 3 / 4 5 6 // 10 20 30 / 40 50 60
// extents: out = 3 2 2
// expect: out = 3x2x2 f32: 2 2.75 3.5 / 3.5 4.25 5 // 20 27.5 35 / 35 42.5 50
Input<Buffer<float, 3>> in{"in"};
Output<Buffer<float, 3>> out{"out"};
Var x("x"), y("y"), c("c");
Func padded = BoundaryConditions::repeat_edge(in, {{0, in.width()}, {0, in.height()}}), across("across");
across(x, y, c) = padded(x - 1, y, c) + 2 * padded(x, y, c) + padded(x + 1, y, c);
out(x, y, c) = (across(x, y - 1, c) + 2 * across(x, y, c) + across(x, y + 1, c)) / 16;
