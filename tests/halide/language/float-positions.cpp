// RUN: %python %lib/halide_values.py %s
// Floats of coordinates in Funcs, and among values.
// in: in = 4x3 f32: 0 0.1 0.3 0.99 / 1 1.5 -3 0.5 / 0.25 0.75 0.6 0.2
// extents: twice = 2 2
// extents: near = 4 3
// expect: twice = 2x2 f32: 0 0.3 / 1 -3
// expect: near = 4x3 f32: 3.1 3.1 3.1 3.1999998 / 5 5 5 5.5 / 3.5 3.5 4 3.5
Input<Buffer<float, 2>> in{"in"};
Output<Buffer<float, 2>> twice{"twice"}, near{"near"};
Var x("x"), y("y");
Func edge = BoundaryConditions::repeat_edge(in), kept("kept"), moved("moved"), position("position");
kept(x, y) = edge(x, y) + 1;
kept.compute_root();
moved(x, y) = edge(x, y) + 2;
moved.compute_root();
twice(x, y) = in(cast<int>(2.0f * x), cast<int>(1.5f * y));
position(x, y) = cast<int>(select(in(x, y) > 0.5f, cast<float>(x) / 2, cast<float>(y) * -1.5f + 1));
near(x, y) = kept(position(x, y), y) + moved(cast<int>(clamp(in(x, y), -1.0f, 1.0f) * (x - 1)), y);
