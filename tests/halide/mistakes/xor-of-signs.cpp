// mistake: & of a u8 and an i32: both are signed, or both unsigned
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x, y) & x;
