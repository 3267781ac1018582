// RUN: %python %lib/halide_values.py %s
// Implicit Vars have numbers of one digit and of two.
// in: in = 3x1x1x1x1x1x1x1x1x1x2 i32: 1 2 3 4 5 6
// extents: out = 3 1 1 1 1 1 1 1 1 1 2
// expect: out = 3x1x1x1x1x1x1x1x1x1x2 i32: 2 3 4 15 16 17
Input<Buffer<int, 11>> in{"in"};
Output<Buffer<int, 11>> out{"out"};
Func f("f");
f(_) = in(_) + 1;
out(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10) = f(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10) + 10 * _10;
