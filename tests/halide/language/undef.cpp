// RUN: %python %lib/halide_values.py %s
// undef: what no update writes is not looked at; here all is written.
// in: in = 4 f32: 1 2 3 4
// extents: out = 4
// expect: out = 4 f32: 1 -1 3 -1
Input<Buffer<float, 1>> in{"in"};
Output<Buffer<float, 1>> out{"out"};
Var x("x");
RDom even(0, 2), odd(0, 2);
out(x) = undef<float>();
out(2 * even) = in(2 * even);
out(2 * odd + 1) = out(2 * odd) - in(2 * odd + 1);
