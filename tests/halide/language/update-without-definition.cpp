// RUN: %python %lib/halide_values.py %s
// += before a pure definition begins with 0, *= with 1.
// in: in = 4 u8: 1 2 3 200
// extents: sum = 2
// extents: product = 2
// expect: sum = 2 u8: 6 205
// expect: product = 2 i32: 6 1200
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Func> sum{"sum", 1}, product{"product", 1};
Var x("x");
RDom r(0, 3);
sum(x) += in(x + r);
product(x) *= cast<int>(in(x + r));
