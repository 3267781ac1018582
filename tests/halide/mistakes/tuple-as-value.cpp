// mistake: f has two values, and is used as an Expr without [i]
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = Tuple(in(x, y), x);
out(x, y) = f(x, y) + 1;
