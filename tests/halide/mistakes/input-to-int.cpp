// mistake: an Expr is no int of the host (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
int width = in.width();
out(x, y) = in(width - 1 - x, y);
