// RUN: %python %lib/halide_values.py %s
// u8() wraps, u8_sat() saturates; of wider integers and of floats.
// in: a = 5 i32: -300 -1 100 255 70000
// in: f = 5 f32: -2.75 -0.5 0.5 255.75 1e6
// extents: p = 5
// extents: q = 5
// extents: r = 5
// extents: s = 5
// extents: t = 5
// extents: u = 5
// extents: v = 5
// extents: w = 5
// expect: p = 5 u8: 212 255 100 255 112
// expect: q = 5 u8: 0 0 100 255 255
// expect: r = 5 i16: -299 0 101 256 4465
// expect: s = 5 i16: -300 -1 100 255 32767
// expect: t = 5 u8: 0 0 0 255 255
// expect: u = 5 i8: -2 0 0 127 127
// expect: v = 5 u16: 0 0 100 255 65535
// expect: w = 5 f64: -302.75 -1.5 100.5 510.75 1070000
using namespace Halide::ConciseCasts;
Input<Buffer<int, 1>> a{"a"};
Input<Buffer<float, 1>> f{"f"};
Output<Func> p{"p", 1}, q{"q", 1}, r{"r", 1}, s{"s", 1}, t{"t", 1}, u{"u", 1}, v{"v", 1}, w{"w", 1};
Var x("x");
p(x) = u8(a(x));
q(x) = u8_sat(a(x));
r(x) = i16(a(x)) + 1;
s(x) = i16_sat(a(x));
t(x) = u8_sat(f(x));
u(x) = i8_sat(f(x));
v(x) = u16_sat(a(x));
w(x) = f32(a(x)) + f64(f(x));
