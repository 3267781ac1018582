// mistake: an Expr is a value of the pipeline, so the host cannot test it (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
if (in(x, y) > 3) {
    out(x, y) = cast<uint8_t>(1);
}
