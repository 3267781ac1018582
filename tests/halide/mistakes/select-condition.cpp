// mistake: the condition of select is a u8, no Bool
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = select(in(x, y), in(x, y), 1);
