// RUN: %python %lib/halide_values.py %s
// mirror_image repeats the element at the edge, mirror_interior does not.
// in: in = 4 i32: 1 2 3 4
// extents: mirrored = 16
// extents: interior = 16
// extents: box = 9
// expect: mirrored = 16 i32: 3 4 4 3 2 1 1 2 3 4 4 3 2 1 1 2
// expect: interior = 16 i32: 1 2 3 4 3 2 1 2 3 4 3 2 1 2 3 4
// expect: box = 9 i32: 43 32 22 33 44 34 23 32 42
using namespace Halide::BoundaryConditions;
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> mirrored{"mirrored"}, interior{"interior"}, box{"box"};
Var x("x");
mirrored(x) = mirror_image(in)(x - 6);
interior(x) = mirror_interior(in)(x - 6);
Func ramp("ramp");
ramp(x) = x;
box(x) = mirror_image(ramp, {{2, 3}})(x) + 10 * mirror_interior(ramp, {{2, 3}})(x);
