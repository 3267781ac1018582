// mistake: sum of an expression without any variable of an RDom
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = sum(in(x, y));
