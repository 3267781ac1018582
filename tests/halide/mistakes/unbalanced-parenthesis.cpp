// mistake: expected ) (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = (in(x, y) + in(x + 1, y) / 2;
