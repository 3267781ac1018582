// mistake: an RDom of three numbers: each dimension has a min and an extent (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4, 1);
out(x, y) = in(x, y);
out(x, y) += in(r.x, y);
