// RUN: %python %lib/halide_values.py %s
// `_` stands for the dimensions that are not named: two of them, none, some in the middle.
// in: in = 2x3x2 i32: 1 2 / 3 4 / 5 6 // 7 8 / 9 10 / 11 12
// extents: out = 2 3 2
// extents: turned = 3 2 2
// extents: plain = 2 3 2
// expect: out = 2x3x2 i32: 16 15 / 20 19 / 24 23 // 4 3 / 8 7 / 12 11
// expect: turned = 3x2x2 i32: 1 3 5 / 2 4 6 // 7 9 11 / 8 10 12
// expect: plain = 2x3x2 i32: 2 4 / 6 8 / 10 12 // 14 16 / 18 20 / 22 24
Input<Buffer<int, 3>> in{"in"};
Output<Buffer<int, 3>> out{"out"}, turned{"turned"}, plain{"plain"};
Var x("x"), y("y"), c("c");
Func twice("twice"), moved("moved"), g("g");
twice(_) = in(_) * 2;
moved(x, _) = twice(1 - x, _) + x;
g(_, c) = moved(_, 1 - c);
out(x, y, c) = g(x, y, c);
turned(y, x, _) = in(x, y, _);
plain(x, y, _) = twice(x, y, _);
