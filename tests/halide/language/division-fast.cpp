// RUN: %python %lib/halide_values.py %s
// fast_integer_divide and fast_integer_modulo by constants that fit an uint8, and of floats by one.
// in: in = 5 i32: -7 0 7 100 1000
// extents: out = 5
// extents: quarters = 5
// expect: out = 5 i32: -2997 0 2007 33000 333000
// expect: quarters = 5 f32: -1.75 0 1.75 25 250
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Buffer<float, 1>> quarters{"quarters"};
Var x("x");
out(x) = fast_integer_divide(in(x), 3) * 1000 + fast_integer_modulo(in(x), 10);
quarters(x) = fast_integer_divide(cast<float>(in(x)), 4);
