// mistake: -1 does not fit u8, the type of the other operand
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = max(in(x, y), -1);
