// RUN: %python %lib/halide_values.py %s
// RDoms whose bounds are a min, a max, or computed from floats.
// in: in = 6 i32: 1 2 4 8 16 32
// param: at = 4
// param: scale = 2.5
// extents: near = 3
// extents: some = 3
// expect: near = 3 i32: 56 57 58
// expect: some = 3 i32: 7 14 28
Input<Buffer<int, 1>> in{"in"};
Input<int> at{"at"};
Input<float> scale{"scale", 1.0f, 0.0f, 3.0f};
Output<Buffer<int, 1>> near{"near"};
Output<Buffer<int, 1>> some{"some"};
Var x("x");
Expr low = clamp(at - 1, 0, in.width() - 1), high = clamp(at + 3, 0, in.width() - 1);
RDom r(low, high - low + 1);
near(x) = x;
near(x) += in(r);
RDom s(0, cast<int>(ceil(scale)));
Func edge = BoundaryConditions::repeat_edge(in);
some(x) = 0;
some(x) += edge(x + s);
