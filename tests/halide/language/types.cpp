// RUN: %python %lib/halide_values.py %s
// Values that are types: of an Expr, with_bits, with_code, is_uint, bits, max, type_of<T>(), cast(type, e).
// in: in = 4 u8: 0 1 128 255
// extents: wide = 4
// extents: most = 4
// extents: sign = 4
// extents: numbers = 6
// expect: wide = 4 u16: 0 1 16384 65025
// expect: most = 4 u8: 255 254 127 0
// expect: sign = 4 i8: 1 2 -127 0
// expect: numbers = 6 i32: 8 1 1 1 -32768 7
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Func> wide{"wide", 1}, most{"most", 1}, sign{"sign", 1};
Output<Buffer<int, 1>> numbers{"numbers"};
Var x("x");
Type t = in(x).type();
Type wider = t.with_bits(t.bits() * 2);
wide(x) = cast(wider, in(x)) * in(x);
most(x) = t.max() - in(x);
sign(x) = cast(t.with_code(Type::Int), in(x)) + cast(type_of<int8_t>(), 1);
Type half = Float(32);
numbers(x) = mux(x, {t.bits(), t.bytes(), t.is_uint() ? 1 : 0, wider == UInt(16), cast<int>(Int(16).min()),
                     half.is_float() && !half.is_int() ? 7 : 8});
