// mistake: z is no argument of the update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Var z("z");
out(x, y) = in(x, y);
out(x, 0) += in(x, z);
