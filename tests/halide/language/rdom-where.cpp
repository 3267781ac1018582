// RUN: %python %lib/halide_values.py %s
// Predicates of an RDom: of its variables, of a variable of the Func, and of the data.
// in: in = 6 i32: 5 -1 8 0 -7 2
// extents: triangle = 1
// extents: prefix = 6
// extents: positive = 1
// expect: triangle = 1 i32: 77
// expect: prefix = 6 i32: 5 4 12 12 5 7
// expect: positive = 1 i32: 15
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> triangle{"triangle"}, prefix{"prefix"}, positive{"positive"};
Var x("x");
RDom r(0, 4, 0, 4), p(0, 6), d(0, 6);
r.where(r.x + r.y < 4);
r.where(r.x != 1);
triangle(x) = 0;
triangle(x) += 10 * r.x + r.y;
p.where(p <= x);
prefix(x) = 0;
prefix(x) += in(p);
d.where(in(d) > 0);
positive(x) = 0;
positive(x) += in(d);
