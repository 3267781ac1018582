// mistake: the first argument of the initial definition is a variable of an RDom, no Var
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4);
Func f("f");
f(r, y) = in(r, y);
out(x, y) = f(x, y);
