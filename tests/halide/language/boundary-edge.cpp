// RUN: %python %lib/halide_values.py %s
// repeat_edge takes the nearest element, repeat_image the picture once more.
// in: in = 3x2 i32: 1 2 3 / 4 5 6
// extents: edge = 8 5
// extents: image = 8 5
// extents: box = 7 1
// expect: edge = 8x5 i32: 1 1 1 1 2 3 3 3 / 1 1 1 1 2 3 3 3 / 1 1 1 1 2 3 3 3 / 4 4 4 4 5 6 6 6 / 4 4 4 4 5 6 6 6
// expect: image = 8x5 i32: 1 2 3 1 2 3 1 2 / 4 5 6 4 5 6 4 5 / 1 2 3 1 2 3 1 2 / 4 5 6 4 5 6 4 5 / 1 2 3 1 2 3 1 2
// expect: box = 7x1 i32: 2902 3902 1902 2903 3904 1904 2904
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> edge{"edge"}, image{"image"}, box{"box"};
Var x("x"), y("y");
edge(x, y) = BoundaryConditions::repeat_edge(in)(x - 3, y - 2);
image(x, y) = BoundaryConditions::repeat_image(in)(x - 3, y - 2);
Func ramp("ramp");
ramp(x, y) = x + 100 * y;
box(x, y) = BoundaryConditions::repeat_edge(ramp, {{2, 3}, {-1, 1}})(x, y) +
            1000 * BoundaryConditions::repeat_image(ramp, {{2, 3}, {0, 1}})(x, y);
