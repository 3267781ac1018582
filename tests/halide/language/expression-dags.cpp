// RUN: %python %lib/halide_values.py %s
// Expressions that double a hundred times are graphs of two hundred nodes, as values, indices and conditions.
// in: in = 4x1 u8: 3 5 7 200
// extents: out = 3 1
// expect: out = 3x1 u8: 4 6 15
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = cast<int>(in(x, y)), i = x, c = x > 1, s = x;
for (int k = 0; k < 100; k++) {
    e = e * e;
    i = max(i, min(i, y) + 0 * i);
    c = c && (c || (x > 2));
    s = select(c, s, s);
}
out(x, y) = cast<uint8_t>(e) + in(clamp(i, 0, 2), y) + select(c, in(clamp(s, 0, 3), y), 0);
