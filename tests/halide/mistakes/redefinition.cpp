// mistake: a second definition is an update, and its u and v are not the Vars of the first one (undefined variable u)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Var u("u"), v("v");
Func f("f");
f(x, y) = in(x, y);
f(u, v) = in(v, u);
out(x, y) = f(x, y);
