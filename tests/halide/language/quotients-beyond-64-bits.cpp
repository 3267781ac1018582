// The extent of a border is a quotient of a product beyond 64 bits: its systems of constraints are left to isl.
// RUN: pm-translate --to=pmir %s -o %t.pmir
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<int, 2>> o0{"o0"};
Input<uint8_t> p0{"p0"};
Var x("x"), y("y");
Func f0("f0"), f2("f2");
f0(x,y) = cast<int>(BoundaryConditions::repeat_edge(in)(x,y));
f2(x,y) = f0(2 * x, 2 * y)*3;
Func g3_1 = BoundaryConditions::repeat_image(f2, {{0, max(in.dim(0).extent() >> 2, 1)}, {0, max(cast<int>(p0) / 4294967296 + 1, 1)}});
o0(x,y) = f2(x + 1, y - 3) + g3_1(x + 2, y - 3) * 4;
