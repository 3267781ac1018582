// RUN: %python %lib/halide_values.py %s
// Scans along an RDom: sums forward, a recursion of second order, backward, and in two dimensions.
// in: in = 4x3 i32: 1 2 3 4 / 5 6 7 8 / -1 -2 -3 -4
// extents: rows = 4 3
// extents: fibonacci = 8
// extents: back = 4 3
// extents: table = 4 3
// expect: rows = 4x3 i32: 1 3 6 10 / 5 11 18 26 / -1 -3 -6 -10
// expect: back = 4x3 i32: 4321 432 43 4 / 8765 876 87 8 / -4321 -432 -43 -4
// expect: table = 4x3 i32: 1 2 3 4 / 5 11 18 26 / -1 9 15 22
// expect: fibonacci = 8 i32: 1 1 2 3 5 8 13 21
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> rows{"rows"}, back{"back"}, table{"table"};
Output<Buffer<int, 1>> fibonacci{"fibonacci"};
Var x("x"), y("y");
RDom r(1, 3), s(2, 6), across(1, 3, 1, 2);
rows(x, y) = in(x, y);
rows(r, y) += rows(r - 1, y);
fibonacci(x) = 1;
fibonacci(s) = fibonacci(s - 1) + fibonacci(s - 2);
back(x, y) = in(x, y);
back(3 - r, y) += back(4 - r, y) * 10;
table(x, y) = in(x, y);
table(across.x, across.y) += max(table(across.x - 1, across.y), table(across.x, across.y - 1));
