// mistake: the loop of the host never ends; it hangs
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Expr e = in(x, y);
for (int i = 0; i >= 0; i = (i + 1) % 10) {
    e = e + cast<uint8_t>(i);
}
out(x, y) = e;
