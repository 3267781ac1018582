// RUN: %python %lib/halide_values.py %s
// A literal alone is i32 or f32; beside an Expr it takes its type, but an Expr that was made of a literal is i32.
// in: in = 3 u16: 1 1000 65000
// extents: whole = 3
// extents: part = 3
// extents: sum = 3
// extents: tall = 3
// expect: whole = 3 i32: 7 7 7
// expect: part = 3 f32: 0.25 0.25 0.25
// expect: sum = 3 u16: 537 1536 0
// expect: tall = 3 i32: 501 1500 65500
Input<Buffer<uint16_t, 1>> in{"in"};
Output<Func> whole{"whole", 1}, part{"part", 1}, sum{"sum", 1}, tall{"tall", 1};
Var x("x");
whole(x) = 7;
part(x) = 0.25f;
Expr small = 500, e = in(x);
sum(x) = e + (500 + 36);
tall(x) = e + small;
