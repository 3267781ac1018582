// RUN: %python %lib/halide_values.py %s
// A Tuple is updated as a whole, all of its values from those before; select of tuples.
// in: in = 6 i32: 3 9 2 9 1 4
// extents: out = 2
// extents: swapped = 3
// expect: out.0 = 2 i32: 9 9
// expect: out.1 = 2 i32: 1 0
// expect: swapped.0 = 3 i32: 2 3 4
// expect: swapped.1 = 3 i32: 2 12 22
Input<Buffer<int, 1>> in{"in"};
Output<Func> out{"out", 1}, swapped{"swapped", 1};
Var x("x");
RDom r(0, 3), steps(0, 4);
out(x) = Tuple(in(3 * x), 0);
out(x) = select(in(3 * x + r) > out(x)[0], Tuple(in(3 * x + r), r.x), Tuple(out(x)[0], out(x)[1]));
swapped(x) = {x, x * 10};
swapped(x) = Tuple(swapped(x)[1] + 0 * steps, swapped(x)[0] + 1);
