// mistake: an input of two dimensions is called with one argument, no _ among them
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x);
