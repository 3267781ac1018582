// RUN: %python %lib/halide_values.py %s
// A mirrored border, another reader and an output need different ends, of which none is always the furthest.
// in: in = 20 u8: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
// param: p0 = 3
// extents: o0 = 4
// extents: o1 = 3
// expect: o0 = 4 i32: -48 -32 -32 -16
// expect: o1 = 3 i32: -4 -8 -12
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> o0{"o0"};
Output<Buffer<int, 1>> o1{"o1"};
Input<int> p0{"p0"};
Var x("x");
Func f0("f0"), f3("f3"), f4("f4");
f0(x) = cast<int>(BoundaryConditions::mirror_interior(in)(x));
f3(x) = f0(2 * x + 1) * -2;
Func g = BoundaryConditions::mirror_interior(f3, {{0, max(p0, 1)}});
f4(x) = g(x) + f3(6 - x);
o0(x) = f4(2 * x - 2);
o1(x) = f3(x);
