// RUN: %python %lib/halide_values.py %s
// The sum of three u16 wraps before it is divided, unless it is widened before.
// in: in = 6 u16: 1 20000 30000 40000 65534 65535
// extents: wraps = 4
// extents: wide = 4
// extents: wider = 4
// expect: wraps = 4 u16: 16667 8154 1487 13332
// expect: wide = 4 u16: 16667 30000 45178 57023
// expect: wider = 4 u64: 600000000 24000000000000 78640800000000 171790827600000
Input<Buffer<uint16_t, 1>> in{"in"};
Output<Buffer<uint16_t, 1>> wraps{"wraps"}, wide{"wide"};
Output<Buffer<uint64_t, 1>> wider{"wider"};
Var x("x");
wraps(x) = (in(x) + in(x + 1) + in(x + 2)) / 3;
wide(x) = cast<uint16_t>((cast<uint32_t>(in(x)) + in(x + 1) + in(x + 2)) / 3);
wider(x) = cast(UInt(64), in(x)) * in(x + 1) * in(x + 2);
