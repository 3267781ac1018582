// mistake: && of a u8, no Bool
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = select(in(x, y) > 1 && in(x + 1, y), 1, 2);
