// mistake: an Expr without a value is used
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e;
out(x, y) = e + in(x, y);
