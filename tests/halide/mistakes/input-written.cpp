// mistake: an input is defined; Halide accepts that silently, as an assignment to a temporary Expr without any effect
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
in(x, y) = 1;
out(x, y) = in(x, y);
