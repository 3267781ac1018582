// RUN: %python %lib/halide_values.py %s
// Comparisons are Bool; && || ! of them; a Bool stored, cast, and in select.
// in: a = 5 u8: 0 1 2 3 4
// in: b = 5 i32: -1 1 3 3 -4
// extents: less = 5
// extents: all = 5
// extents: one = 5
// extents: count = 5
// expect: less = 5 bool: 0 0 1 0 0
// expect: all = 5 bool: 0 0 1 1 1
// expect: one = 5 i32: 20 10 30 10 20
// expect: count = 5 u8: 0 1 1 2 1
Input<Buffer<uint8_t, 1>> a{"a"};
Input<Buffer<int, 1>> b{"b"};
Output<Func> less{"less", 1}, all{"all", 1}, one{"one", 1}, count{"count", 1};
Var x("x");
less(x) = a(x) < b(x);
all(x) = a(x) <= b(x) && a(x) != 1 || !(b(x) >= -3);
Expr same = a(x) == b(x);
one(x) = select(same, 10, a(x) > b(x), 20, 30);
count(x) = cast<uint8_t>(same) + cast<uint8_t>(a(x) > 1);
