// mistake: 300 does not fit u8, the type of the first argument of clamp, so it stays an i32
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = clamp(in(x, y), 0, 300);
