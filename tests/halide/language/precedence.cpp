// RUN: %python %lib/halide_values.py %s
// Precedence and associativity of operators as in C++; unary minus and not; parentheses.
// in: in = 4 i32: 1 2 3 -4
// extents: out = 4
// extents: bits = 4
// expect: out = 4 i32: -11 -6 -1 46
// expect: bits = 4 i32: -3 3 3 7
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"}, bits{"bits"};
Var x("x");
Expr a = in(x), b = x + 1;
out(x) = a - b - 1 * 2 + -a * -b - (a - (b - 1)) * 10 + a / 2 * 2 % 3;
bits(x) = select(a + 1 << 1 > 4 == true, a | b & 3 ^ 1, ~a << 1 | 1);
