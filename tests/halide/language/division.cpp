// RUN: %python %lib/halide_values.py %s
// `/` rounds so that `%` is never negative: Euclidean. Division by 0 is 0, and so is the remainder.
// in: a = 4 i32: -7 -6 6 7
// in: b = 5 i32: -3 -2 0 2 3
// extents: quotient = 4 5
// extents: rest = 4 5
// extents: by_three = 4
// extents: shifted = 4
// expect: quotient = 4x5 i32: 3 2 -2 -2 / 4 3 -3 -3 / 0 0 0 0 / -4 -3 3 3 / -3 -2 2 2
// expect: rest = 4x5 i32: 2 0 0 1 / 1 0 0 1 / 0 0 0 0 / 1 0 0 1 / 2 0 0 1
// expect: by_three = 4 i32: -28 -20 20 21
// expect: shifted = 4 i32: -198 -198 99 99
Input<Buffer<int, 1>> a{"a"}, b{"b"};
Output<Buffer<int, 2>> quotient{"quotient"}, rest{"rest"};
Output<Buffer<int, 1>> by_three{"by_three"}, shifted{"shifted"};
Var x("x"), y("y");
quotient(x, y) = a(x) / b(y);
rest(x, y) = a(x) % b(y);
by_three(x) = a(x) / 3 * 10 + a(x) % 3;
shifted(x) = a(x) / 4 * 100 + a(x) / -4;
