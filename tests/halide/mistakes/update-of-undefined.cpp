// mistake: the first definition of f is at (0, y), and 0 is no Var
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(0, y) = in(0, y);
out(x, y) = f(x, y);
