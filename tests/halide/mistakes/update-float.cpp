// mistake: += of a float to a u8 Func: it is not converted, a cast is needed
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x, y);
out(x, y) += 1.5f;
