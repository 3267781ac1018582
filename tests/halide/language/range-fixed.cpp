// RUN: %python %lib/halide_values.py %s --range=step=2:2 --range=scale=0.5:0.5
// Inputs that --range fixes are constants: they may stand before an index, and say how long a loop is.
// in: in = 8 i32: 1 2 3 4 5 6 7 8
// param: step = 2
// param: scale = 0.5
// extents: out = 3
// expect: out = 3 i32: 5 9 13
Input<Buffer<int, 1>> in{"in"};
Input<int> step{"step"};
Input<float> scale{"scale"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
RDom r(0, cast<int>(ceil(1 / scale)));
out(x) = step;
out(x) += in(x * step + r);
