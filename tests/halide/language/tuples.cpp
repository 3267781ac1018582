// RUN: %python %lib/halide_values.py %s
// Tuple of two and three: defined by Tuple and by a list, read with [i], an output of its own.
// in: in = 4 u8: 5 10 200 255
// extents: out = 4
// extents: pair = 4
// expect: out = 4 i32: 100002005 101005010 102100200 103127255
// expect: pair.0 = 4 u8: 10 20 144 254
// expect: pair.1 = 4 i16: -95 -90 100 155
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Func> pair{"pair", 1};
Var x("x");
Func three("three");
three(x) = Tuple(in(x), cast<float>(in(x)) / 2, x + 100);
Tuple t = three(x);
out(x) = cast<int>(t[0]) + cast<int>(t[1]) * 1000 + three(x)[2] * 1000000;
pair(x) = {in(x) * 2, cast<int16_t>(in(x)) - 100};
