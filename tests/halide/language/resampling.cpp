// RUN: %python %lib/halide_values.py %s
// Every second element, each element twice, both with what is between; negative indices go with x / 2 rounded down.
// in: in = 8 i32: 10 20 30 40 50 60 70 80
// extents: down = 3
// extents: up = 9
// extents: linear = 9
// extents: halves = 8
// expect: down = 3 i32: 20 40 60
// expect: up = 9 i32: 10 10 20 20 30 30 40 40 50
// expect: linear = 9 i32: 10 15 20 25 30 35 40 45 50
// expect: halves = 8 i32: -200 -199 -100 -99 0 1 100 101
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> down{"down"}, up{"up"}, linear{"linear"}, halves{"halves"};
Var x("x");
down(x) = (in(2 * x) + 2 * in(2 * x + 1) + in(2 * x + 2)) / 4;
up(x) = in(x / 2);
linear(x) = (in(x / 2) + in((x + 1) / 2)) / 2;
Func f("f");
f(x) = x / 2 * 100 + x % 2;
halves(x) = f(x - 4);
