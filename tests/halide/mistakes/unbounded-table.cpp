// mistake: an i32 from data as an index of a Func that is stored: it has no bounds
Input<Buffer<uint8_t, 2>> in{"in"};
Input<Buffer<int, 2>> at{"at"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func table("table");
table(x) = cast<uint8_t>(x * x);
table.compute_root();
out(x, y) = table(at(x, y));
