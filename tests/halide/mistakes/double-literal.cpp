// mistake: u8 * 0.5: ambiguous, 0.5f or Expr(0.5) is meant (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = cast<uint8_t>(in(x, y) * 0.5);
