// mistake: a bound of clamp has another type than its first argument
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = clamp(in(x, y), 0, x);
