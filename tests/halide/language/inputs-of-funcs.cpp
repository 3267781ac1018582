// RUN: %python %lib/halide_values.py %s
// Input<Func> and buffers whose type is told at their names; Output<Func> without a type takes that of its definition.
// in: f = 3x2 f32: 1 2 3 / 4 5 6
// in: g = 3 i16: -1 0 300
// extents: out = 3 2
// extents: other = 3
// expect: out = 3x2 f32: -1 0 900 / -4 0 1800
// expect: other = 3 i16: 1 0 24464
Input<Func> f{"f", Float(32), 2};
Input<Buffer<void>> g{"g", Int(16), 1};
Output<Func> out{"out", 2};
Output<Buffer<int16_t>> other{"other", 1};
Var x("x"), y("y");
out(x, y) = f(x, y) * g(x);
other(x) = g(x) * g(x);
