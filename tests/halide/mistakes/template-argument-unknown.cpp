// mistake: uint7_t is not declared (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = cast<uint8_t>(cast<uint7_t>(in(x, y)) + 1);
