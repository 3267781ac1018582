// mistake: ^ of a float: it needs integers
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = cast<uint8_t>((in(x, y) * 0.5f) ^ 3);
