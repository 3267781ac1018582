// RUN: %python %lib/halide_values.py %s
// A number of C++ as the amount of a shift keeps the left operand's type; an Expr widens it.
// in: a = 3 i16: 5 -300 32767
// extents: bits = 7
// extents: out = 3
// expect: bits = 7 i32: 16 16 16 16 32 32 16
// expect: out = 3 i32: 120 -7238 528359
Input<Buffer<int16_t, 1>> a{"a"};
Output<Buffer<int, 1>> bits{"bits"};
Output<Buffer<int, 1>> out{"out"};
Var x("x");
constexpr uint32_t u = 3;
const int64_t l = 3;
const uint8_t b = 3;
Expr e = a(x);
std::vector<Expr> all = {e << u, e >> l, e << b, e << 3, e << Expr(3), e >> Expr(3), e << cast<int8_t>(3)};
Expr of = 0;
for (int i = 0; i < (int)all.size(); i++) of = select(x == i, all[i].type().bits(), of);
bits(x) = of;
out(x) = cast<int>(e << u) + cast<int>(e << Expr(3)) * 2 + cast<int>(e >> l);
