// mistake: the output is declared with two dimensions, but defined with one
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x) = in(x, 0);
