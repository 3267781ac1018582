// RUN: %python %lib/halide_values.py %s
// RUN: %python %lib/halide_values.py %s --tile=2x3
// Domains that begin at min(0, p), or end at the greatest of several extents, for which exact loops are too much work.
// in: in = 4x3 i32: 1 9 3 8 / 2 7 5 6 / 4 10 11 12
// param: p = -4
// extents: parity = 6 4
// extents: a = 4 2
// extents: b = 7 3
// extents: c = 2 9
// expect: parity = 6x4 i32: 202 410 207 1011 705 1112 / 204 410 210 1011 711 1112 / 204 410 210 1011 711 1112 / 204 410
//   210 1011 711 1112
// expect: a = 4x2 i32: 1 1 1 1 / 1 1 1 1
// expect: b = 7x3 i32: 10102 10102 10102 10102 10107 10107 10107 / 10104 10104 10104 10104 10110 10110 10110 / 10104
//   10104 10104 10104 10110 10110 10110
// expect: c = 2x9 i32: 10104 10104 / 10104 10104 / 10104 10104 / 10204 10204 / 10404 10404 / 10404 10404 / 20404 20404
//   / 40404 40404 / 40404 40404
Input<Buffer<int, 2>> in{"in"};
Input<int> p{"p"};
Output<Buffer<int, 2>> parity{"parity"}, a{"a"}, b{"b"}, c{"c"};
Var x("x"), y("y");
Func edge = BoundaryConditions::repeat_edge(in), up("up"), third("third"), quarter("quarter");
up(x, y) = select(x % 2 == 0, edge(x / 2, y / 2), edge((x + 1) / 2, (y + 1) / 2));
parity(x, y) = up(x, y + 3) + 100 * up(x + p + 2, 3);
quarter(x, y) = edge((x - 1) / 4, y + 1);
third(x, y) = quarter((x - 1) / 3, y - 3);
a(x, y) = third(x - 1, y - 2);
b(x, y) = quarter(x + 1, y) + 100 * third(x / 2, y) + 10000 * third(x - 3, (y + 3) / 2);
c(x, y) = quarter(x - 2, y + 3) + 100 * third(x - 3, y) + 10000 * third(x - 1, y - 3);
