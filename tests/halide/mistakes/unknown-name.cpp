// mistake: the name blured is not declared (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func blurred("blurred");
blurred(x, y) = in(x, y) / 2;
out(x, y) = blured(x, y);
