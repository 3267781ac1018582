// mistake: expected } at the end (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = 0;
for (int i = 0; i < 3; i++) {
    e += in(x + i, y);
out(x, y) = e;
