// mistake: expected ; (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f")
f(x, y) = in(x, y);
out(x, y) = f(x, y);
