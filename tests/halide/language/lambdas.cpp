// RUN: %python %lib/halide_values.py %s
// Lambdas of the host, that capture and return, and Halide's own `lambda`, a Func without a name.
// in: in = 5 u8: 1 2 3 4 5
// extents: out = 3
// extents: table = 3 2
// expect: out = 3 i32: 24 36 48
// expect: table = 3x2 i32: 10 20 30 / 111 122 133
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Buffer<int, 2>> table{"table"};
Var x("x"), y("y");
int taps = 0;
auto at = [&](int offset, int weight) -> Expr {
    taps++;
    return weight * cast<int>(in(x + offset));
};
auto sum = [=](Expr a, Expr b) { return a + b; };
Expr total = sum(sum(at(0, 1), at(1, 2)), at(2, 1));
out(x) = total * taps;
Func product = lambda(x, y, (x + 1) * (y + 10));
table(x, y) = product(x, y) + lambda(x, x * 100)(y);
