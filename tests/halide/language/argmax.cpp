// RUN: %python %lib/halide_values.py %s
// argmin and argmax are Tuples: the place, one element for each dimension of the RDom, then the value. The first wins.
// in: in = 4x2 i16: 5 -3 9 9 / -3 0 9 1
// extents: best = 2
// extents: least = 2
// extents: both = 1
// expect: best.0 = 2 i32: 2 2
// expect: best.1 = 2 i16: 9 9
// expect: least = 2 i32: 97 -3
// expect: both.0 = 1 i32: 2
// expect: both.1 = 1 i32: 0
// expect: both.2 = 1 u16: 9
Input<Buffer<int16_t, 2>> in{"in"};
Output<Func> best{"best", 1}, least{"least", 1}, both{"both", 1};
Var x("x"), y("y");
RDom r(0, 4), q(0, 4, 0, 2);
best(y) = argmax(in(r, y));
least(y) = argmin(in(r, y))[0] * 100 + argmin(in(r, y))[1];
both(x) = argmax(abs(in(q.x, q.y)));
