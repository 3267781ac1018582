// mistake: f is called, but has no definition yet
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
out(x, y) = f(x, y) + 1;
f(x, y) = in(x, y);
