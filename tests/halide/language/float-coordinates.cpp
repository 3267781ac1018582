// RUN: %python %lib/halide_values.py %s
// Indices that are floats of coordinates, which have the bounds of these.
// in: in = 4x3 f32: 0 0.1 0.3 0.99 / 1 1.5 -3 0.5 / 0.25 0.75 0.6 0.2
// param: stretch = 7
// extents: half = 6 5
// extents: third = 9 4
// expect: half = 6x5 f32: 1 1.1 1.2 1.2 1.4000001 1.4000001 / 2.5 2.5 2.6 2.6 2.8 2.8 / 1.75 1.75 1.85 1.85 2.05 2.05 /
//   2.75 2.75 3.25 3.25 -1.25 -1.25 / 2.75 2.75 3.25 3.25 -1.25 -1.4
// expect: third = 9x4 f32: 2 2 2.1 2.1 2.1 2.3 2.3 2.3 2.99 / 2.25 2.25 2.75 2.75 2.75 2.6 2.6 2.6 2.2 / 2.25 2.25 2.75
//   2.75 2.75 2.6 2.6 2.6 2.2 / 2.25 2.25 2.75 2.75 2.75 2.6 2.6 2.6 2.2
Input<Buffer<float, 2>> in{"in"};
Input<int> stretch{"stretch"};
Output<Buffer<float, 2>> half{"half"}, third{"third"};
Var x("x"), y("y");
Func edge = BoundaryConditions::repeat_edge(in);
std::vector<Func> kept(3);
for (int i = 0; i < 3; i++) {
    kept[i](x, y) = edge(x, y) + i;
    kept[i].compute_root();
}
half(x, y) = kept[0](cast<int>(x * 0.5f), cast<int>(floor(y / 2.0f - 0.25f))) + kept[1](cast<int>(ceil((x + y) * 0.125f)), y);
third(x, y) = kept[2](cast<int>(round(x / 3.0f)), cast<int>(clamp(y * (stretch / 3.0f), 0.0f, 2.0f)));
