// mistake: y stands at another place than in the pure definition, so it is an undefined variable of the update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4);
out(x, y) = in(x, y);
out(y, x) = in(x, y) + out(x + 1, r);
