// RUN: %python %lib/halide_values.py %s
// undef: elements that an update leaves, by parts of expressions, in tuples, and through Funcs that are inlined.
// in: in = 6 i32: 1 9 3 8 2 7
// extents: a = 6
// extents: b = 6
// extents: c = 6
// extents: d = 6
// extents: e = 6
// extents: p = 6
// extents: q = 6
// expect: a = 6 i32: 1 9 3 8 2 7
// expect: b = 6 i32: 11 91 31 81 21 71
// expect: c = 6 i32: 1 9 3 107 2 107
// expect: d = 6 i32: 1 100 3 100 2 100
// expect: e = 6 i32: 50 1000 50 8 50 7
// expect: p = 6 i32: 1 8 3 8 2 8
// expect: q = 6 i32: 0 9 0 8 0 7
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> a{"a"}, b{"b"}, c{"c"}, d{"d"}, e{"e"}, p{"p"}, q{"q"};
Var x("x");
RDom r(0, 6);
Func t("t"), g("g"), h("h");
Expr u = undef<int>(), v = in(r);
t(x) = {in(x), in(x) * 10};
t(r) = {undef<int>(), t(r)[1] + 1};
a(x) = t(x)[0];
b(x) = t(x)[1];
c(x) = in(x);
c(r) = select(v > 5, 7, u) + select(v < 9, 100, u);
d(x) = in(x);
d(r) = select(select(v > 5, 7, u) > 6, 100, 50);
e(x) = in(x);
e(r) = select(v > 5, select(v > 8, 1000, u), 50);
g(x) = select(in(x) > 5, 7, undef<int>());
h(x) = g(x) + 1;
p(x) = in(x);
p(r) = h(r);
q(x) = select(in(x) > 5, in(x), undef<int>());
