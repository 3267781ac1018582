// RUN: %python %lib/halide_values.py %s
// Inputs that are scalars: of each type they have their own arithmetic; defaults and ranges.
// in: in = 3 u8: 1 100 255
// param: gain = 2.5
// param: offset = -20
// param: mask = 60
// param: flag = 1
// param: wide = 5000000000
// extents: p = 3
// extents: q = 3
// extents: r = 3
// extents: s = 3
// expect: p = 3 f32: -17.5 230 617.5
// expect: q = 3 u8: 60 96 120
// expect: r = 3 i32: 21 120 275
// expect: s = 3 i64: 5000000001 5000000100 5000000255
Input<Buffer<uint8_t, 1>> in{"in"};
Input<float> gain{"gain"};
Input<int> offset{"offset", 3, -100, 100};
Input<uint8_t> mask{"mask"};
Input<bool> flag{"flag"};
Input<int64_t> wide{"wide"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1};
Var x("x");
p(x) = in(x) * gain + offset;
q(x) = (in(x) & mask) + mask;
r(x) = select(flag, in(x) - offset, 0);
s(x) = wide + in(x);
