// mistake: no mistake for C++; a language for pipelines has no memory of its own
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func *f = new Func("f");
(*f)(x, y) = in(x, y);
out(x, y) = (*f)(x, y);
