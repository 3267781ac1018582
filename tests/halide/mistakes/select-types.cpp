// mistake: the two values of select have different types, and none is a literal
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = cast<uint8_t>(select(in(x, y) > 3, in(x, y), x));
