// mistake: an update of a u8 Func with i32 values; a cast is needed
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = in(x, y);
f(x, 0) = x + y;
out(x, y) = f(x, y);
