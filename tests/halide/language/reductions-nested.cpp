// RUN: %python %lib/halide_values.py %s
// A reduction inside another one, two in one expression, over extents of an input, of a Func that is updated.
// in: in = 4x3 i32: 1 2 3 4 / 5 6 7 8 / 9 10 11 12
// extents: nested = 1
// extents: mean = 4
// extents: both = 3
// expect: nested = 1 i32: 56
// expect: both = 3 i32: 6 6 6
// expect: mean = 4 f32: 5 6 7 8
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 1>> nested{"nested"}, both{"both"};
Output<Buffer<float, 1>> mean{"mean"};
Var x("x"), y("y");
RDom columns(0, in.width(), "columns"), rows(0, in.height());
nested(x) = sum(rows, maximum(columns, in(columns, rows)) * (rows + 1));
mean(x) = sum(cast<float>(in(x, rows))) / in.height();
Func f("f");
f(x, y) = in(x, y);
f(x, y) += 100 * y;
both(y) = sum(f(columns, y)) - 4 * minimum(f(columns, y));
