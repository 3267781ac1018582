// RUN: %python %lib/halide_values.py %s
// Func called and defined by vectors of Expr and Var; Tuple from a vector; a maximum made in a loop.
// in: in = 3x2 i32: 1 5 3 / 9 2 7
// extents: out = 3 2
// extents: pair = 2
// expect: out = 3x2 i32: 6 10 2 / 14 4 18
// expect: pair.0 = 2 i32: 5 9
// expect: pair.1 = 2 f32: 2.5 4.5
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> out{"out"};
Output<Func> pair{"pair", 1};
Var x("x"), y("y");
std::vector<Var> vars{x, y};
std::vector<Expr> place{x, y};
Func f("f");
f(vars) = in(place) * 2;
place[0] = 2 - place[0];
place[1] += 0;
out(x, y) = f(place);
std::vector<Expr> parts(2);
parts[0] = in(0, x);
for (int i = 1; i < 3; i++) parts[0] = max(parts[0], in(i, x));
parts[1] = cast<float>(parts[0]) / 2;
pair(x) = Tuple(parts);
