// RUN: %python %lib/halide_values.py %s
// lambda with `_`, a Func of an Expr of `_`, and the Vars _0, _1 by themselves.
// in: in = 3x2 u8: 1 2 3 / 10 20 30
// extents: out = 2 2
// extents: turned = 2 3
// expect: out = 2x2 i32: 30200 60301 / 302005 603010
// expect: turned = 2x3 i32: 0 -5 / 0 -1 / -1 3
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<int, 2>> out{"out"};
Output<Buffer<int, 2>> turned{"turned"};
Var x("x"), y("y");
Func half = lambda(_, in(_) / 2);
Func shifted = lambda(x, _, cast<int>(in(x + 1, _)) * 100);
Func whole(in(_0, _1) * 3);
out(x, y) = half(x, y) + shifted(x, y) + 10000 * cast<int>(whole(x, y));
Func swapped;
swapped(_0, _1) = cast<int>(half(_1, _0));
turned(x, y) = swapped(x, y) - lambda(x, y, x + 10 * y)(y, x);
