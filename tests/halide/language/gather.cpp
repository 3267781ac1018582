// RUN: %python %lib/halide_values.py %s
// Indices from data: clamped, promised to be in a range, of a type other than int.
// in: in = 6 u8: 10 20 30 40 50 60
// in: at = 5 i32: 3 -2 100 0 5
// in: small = 5 u8: 0 5 4 200 1
// extents: out = 5
// extents: promised = 5
// extents: twice = 5
// extents: table = 5
// expect: out = 5 u8: 40 10 60 10 60
// expect: promised = 5 u8: 10 60 50 30 20
// expect: twice = 5 u8: 10 60 50 60 20
// expect: table = 5 i32: 0 25 16 40000 1
Input<Buffer<uint8_t, 1>> in{"in"}, small{"small"};
Input<Buffer<int, 1>> at{"at"};
Output<Buffer<uint8_t, 1>> out{"out"}, promised{"promised"}, twice{"twice"};
Output<Buffer<int, 1>> table{"table"};
Var x("x"), i("i");
out(x) = in(clamp(at(x), 0, in.width() - 1));
promised(x) = in(unsafe_promise_clamped(small(x) % 6, 0, 5));
twice(x) = in(min(in(min(small(x), 5)) / 10 - 1, 5));
Func squares("squares");
squares(i) = i * i;
table(x) = squares(small(x));
