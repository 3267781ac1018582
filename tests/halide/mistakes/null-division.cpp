// mistake: an integer of the host is divided by 0: undefined in C++, here a signal
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
int n = 0;
out(x, y) = in(x, y) + cast<uint8_t>(7 / n);
