// RUN: %python %lib/halide_values.py %s
// Funcs without dimensions, with updates, read by f() and as outputs; a scalar that others read.
// in: in = 5 u8: 7 1 200 100 3
// extents: out = 2
// extents: total =
// extents: most =
// expect: out = 2 i32: 1001 1002
// expect: total = i32: 311
// expect: most = u8: 200
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Buffer<int, 0>> total{"total"};
Output<Buffer<uint8_t, 0>> most{"most"};
Var x("x");
RDom r(0, 5);
Func least("least");
total() = 0;
total() += cast<int>(in(r));
most() = cast<uint8_t>(0);
most() = max(most(), in(r));
least() = cast<int>(minimum(in(r)));
out(x) = least() * 1000 + x + 1;
