// RUN: %python %lib/halide_values.py %s
// A histogram (which is computed for all that a u8 may be), and a scatter in which the last value of a bin stays.
// in: in = 8 u8: 3 1 3 0 3 1 7 2
// extents: count = 8
// extents: last = 8
// expect: count = 8 i32: 1 2 1 3 0 0 0 1
// expect: last = 8 i32: 3 5 7 4 -1 -1 -1 6
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> count{"count"}, last{"last"};
Var x("x");
RDom r(0, 8);
Func histogram("histogram");
histogram(x) = 0;
histogram(in(r)) += 1;
count(x) = histogram(x);
last(x) = -1;
last(clamp(in(r), 0, 7)) = r;
