// mistake: x is twice among the arguments of f
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, x) = in(x, x);
out(x, y) = f(x, y);
