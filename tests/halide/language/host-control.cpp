// RUN: %python %lib/halide_values.py %s
// while, do, break, continue, switch with fall-through, the ternary operator, integers of the host as in C++.
// in: in = 3 i32: 1 2 3
// extents: out = 3
// expect: out = 3 i32: -86 -84 -82
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Expr e = in(x);
int n = 0, odd = 0;
while (true) {
    if (n == 10) break;
    n++;
    if (n % 2 == 0) continue;
    odd += n;
}
do {
    n -= 4;
} while (n > 0);
switch (n) {
case -2:
    e += odd;
case 5:
    e *= 2;
    break;
default:
    e = 0;
}
const bool is_even = -7 % 2 == 0;
e += is_even ? 1000 : -7 / 2 * 100;
unsigned u = 3;
e += (int)(u << 4) + (1 << 2 | 1) + (7 ^ 2) + static_cast<int>(2.9) + int('a');
float third = 1.0f / 3;
e += int(third * 9.5f) + (odd > 20 && !is_even) + (1 / 2.0 > 0.4 ? 1 : 0);
out(x) = e;
