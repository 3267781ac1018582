// RUN: %python %lib/halide_values.py %s
// An object that new makes is one like others.
// in: in = 3x2 u8: 1 2 3 / 4 5 6
// expect: out = 3x2 u8: 2 3 4 / 5 6 7
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func *f = new Func("f");
(*f)(x, y) = in(x, y) + 1;
out(x, y) = (*f)(x, y);
delete f;
