// mistake: variables of two RDoms in one update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4), s(0, 4);
out(x, y) = in(x, y);
out(r, y) = in(s, y);
