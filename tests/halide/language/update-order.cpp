// RUN: %python %lib/halide_values.py %s
// An update that reads its own Func goes through the points in order: x of an RDom innermost; in place to the right.
// in: in = 6 i32: 8 0 4 0 2 0
// extents: seidel = 6
// extents: jacobi = 6
// extents: passes = 6
// expect: seidel = 6 i32: 8 6 3 2 1 0
// expect: jacobi = 6 i32: 8 6 0 3 0 0
// expect: passes = 6 i32: 8 21 36 51 52 0
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> seidel{"seidel"}, jacobi{"jacobi"}, passes{"passes"};
Var x("x");
RDom r(1, 4), p(1, 4, 0, 2);
seidel(x) = in(x);
seidel(r) = (seidel(r - 1) + seidel(r + 1)) / 2;
jacobi(x) = select(x > 0 && x < 5, (in(max(x - 1, 0)) + in(min(x + 1, 5))) / 2, in(x));
passes(x) = in(x);
passes(p.x) = passes(p.x - 1) + passes(p.x + 1) + p.y;
