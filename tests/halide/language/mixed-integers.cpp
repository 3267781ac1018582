// RUN: %python %lib/halide_values.py %s
// What two integer types become: the wider of both; signed where one is signed; the wider signed one even over unsigned.
// in: a = 4 u8: 0 1 200 255
// in: b = 4 i16: -32768 -1 300 32767
// in: c = 4 u16: 0 1 300 65535
// in: d = 4 i8: -128 -1 3 127
// extents: u8_i16 = 4
// extents: i8_u8 = 4
// extents: i16_u16 = 4
// extents: u8_u16 = 4
// extents: i8_u16 = 4
// extents: u8_x = 4
// extents: i8_u32 = 4
// expect: u8_i16 = 4 i16: 0 -1 -5536 32513
// expect: i8_u8 = 4 i8: -128 0 -53 126
// expect: i16_u16 = 4 i16: -32768 0 600 32766
// expect: u8_u16 = 4 u16: 0 1 60000 65281
// expect: i8_u16 = 4 i16: -128 -2 -297 128
// expect: u8_x = 4 i32: 0 -1 196 249
// expect: i8_u32 = 4 i32: -128 0 303 65662
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int16_t, 1>> b{"b"};
Input<Buffer<uint16_t, 1>> c{"c"};
Input<Buffer<int8_t, 1>> d{"d"};
Output<Func> u8_i16{"u8_i16", 1}, i8_u8{"i8_u8", 1}, i16_u16{"i16_u16", 1}, u8_u16{"u8_u16", 1};
Output<Func> i8_u16{"i8_u16", 1}, u8_x{"u8_x", 1}, i8_u32{"i8_u32", 1};
Var x("x");
u8_i16(x) = a(x) * b(x);
i8_u8(x) = d(x) + a(x);
i16_u16(x) = b(x) + c(x);
u8_u16(x) = a(x) * c(x);
i8_u16(x) = d(x) - c(x);
u8_x(x) = a(x) - 2 * x;
i8_u32(x) = d(x) + cast<uint32_t>(c(x));
