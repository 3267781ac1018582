// RUN: %python %lib/halide_values.py %s
// A boundary condition with bounds of its own over another one, at clamped values and at quotients.
// in: in0 = 3x1 u8: 1 2 3
// in: in1 = 4x3 i8: 1 -2 3 100 / 5 -6 7 0 / -128 127 2 1
// extents: out = 8 3
// extents: both = 5 4
// expect: out = 8x3 u8: 3 3 0 0 0 0 0 0 / 3 3 0 0 0 0 0 0 / 3 3 0 0 0 0 0 0
// expect: both = 5x4 i32: -127 -123 122 122 3 / 0 4 -5 -5 2 / -127 -123 122 122 1 / 4 0 -1 -1 4
Input<Buffer<uint8_t, 2>> in0{"in0"};
Input<Buffer<int8_t, 2>> in1{"in1"};
Output<Buffer<uint8_t, 2>> out{"out"};
Output<Buffer<int32_t, 2>> both{"both"};
Var x("x"), y("y");
Func b = BoundaryConditions::repeat_image(in0), c = BoundaryConditions::repeat_image(in1);
Func f0 = BoundaryConditions::mirror_image(b, {{0, 2}, {-1, 4}});
out(x, y) = f0(clamp(cast<int>(b(x/3, y)), 0, 3), y/2) ^ f0(x/2, clamp(cast<int>(f0(y % 3, y - 3)), 0, 6));
Func f1 = BoundaryConditions::mirror_interior(c, {{0, 3}, {-1, 4}}), f2("f2");
f2(x, y) = cast<int>(f1(clamp(cast<int>(c((x + 1)/3, max(y, 1))), 0, 3), y + 2)) % 7;
both(x, y) = f2(clamp(x + 1, -1, 5), y/2 + 1) ^ cast<int>(f1(x/2, clamp(cast<int>(f1((y + 3) % 3, y - 3)), 0, 6)));
c.compute_root();
