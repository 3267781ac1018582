// mistake: an i32 from data as an index: nothing bounds what is read of the input
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int, 2>> at{"at"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(at(x, y), y);
