// RUN: %python %lib/halide_values.py %s
// select with two and more cases: the first that holds counts. Its values have one type, but for literals.
// in: a = 6 u8: 0 5 10 15 20 255
// extents: two = 6
// extents: many = 6
// extents: mixed = 6
// extents: nested = 6
// expect: two = 6 u8: 0 5 10 10 10 10
// expect: many = 6 i32: 1 2 2 3 5 4
// expect: mixed = 6 u8: 7 7 4 9 14 249
// expect: nested = 6 f32: 2.5 7 1.5 7 1.5 7
Input<Buffer<uint8_t, 1>> a{"a"};
Output<Func> two{"two", 1}, many{"many", 1}, mixed{"mixed", 1}, nested{"nested", 1};
Var x("x");
two(x) = select(a(x) < 10, a(x), 10);
many(x) = select(a(x) < 3, 1, a(x) < 12, 2, a(x) < 18, 3, a(x) > 250, 4, 5);
mixed(x) = select(a(x) > 9, a(x) + 250, 7);
nested(x) = select(x % 2 == 0, select(a(x) > 5, 1.5f, 2.5f), 7);
