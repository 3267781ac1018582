// RUN: %python %lib/halide_values.py %s
// Numbers of Halide's generator: of the seed, the call, the definition and its Vars and RVars.
// in: in = 2x2 i32: 1 2 / 3 4
// param: seed = 7
// extents: f = 4 2
// extents: i = 3 2
// extents: u = 4
// extents: s = 3
// expect: f = 4x2 f32: 0.03128636 0.5926963 0.63873804 0.16946721 / 0.53598845 0.19977725 0.34823132 0.98134255
// expect: i = 3x2 i32: -1116910378 1944491778 -1502426716 / 1814767271 -961331762 -1655711374
// expect: u = 4 u32: 3769452043 2644171789 3600392866 2343286028
// expect: s = 3 f32: 1.4072559 2.0279581 1.1026976
Output<Buffer<float, 2>> f{"f"};
Output<Buffer<int, 2>> i{"i"};
Output<Buffer<uint32_t, 1>> u{"u"};
Output<Buffer<float, 1>> s{"s"};
Input<Buffer<int, 2>> in{"in"};
Input<int> seed{"seed"};
Var x("x"), y("y");
f(x, y) = random_float();
i(x, y) = random_int(seed) + BoundaryConditions::constant_exterior(in, 3)(x - 1, y);
u(x) = random_uint();
u(x) += random_uint(x) % 5;
RDom r(0, 3);
s(x) = 0.0f;
s(x) += random_float() * r;
