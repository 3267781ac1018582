// RUN: %python %lib/halide_values.py %s
// Which sizes of the input allow each of the reads alone is a union of many sets: the box around all reads is what a
// call needs. Conditions of many remainders are values.
// in: in = 12x3 u8: 12 200 7 9 131 44 3 250 17 61 90 5 / 77 21 8 4 99 120 33 2 254 19 6 71 / 1 0 255 128 64 32 16 8 4 2 81 27
// extents: out = 4 3
// expect: out = 4x3 u8: 17 61 90 5 / 254 19 6 71 / 4 2 81 27
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = in(x, y);
for (int i = 2; i < 9; i++) {
    Expr remainder = (x * i + y * (i + 1)) % (i * 7);
    e = select(remainder < (y * i / 3 + x / i) % 11, e, in(x + i, y));
}
out(x, y) = e;
