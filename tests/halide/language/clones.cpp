// RUN: %python %lib/halide_values.py %s
// A Func of its own for some readers: of updates, of a tuple, at a loop, inlined, for several, asked for twice.
// in: in = 5x4 u8: 1 2 3 4 5 / 6 7 8 9 10 / 20 30 40 50 60 / 9 8 7 6 5
// extents: out = 3 3
// expect: out = 3x3 i32: 225 306 387 / 657 765 873 / 2445 3222 3999
ImageParam in(UInt(8), 2, "in");
Var x("x"), y("y"), xi("xi");
Func f("f"), g("g"), h("h"), sums("sums"), pair("pair"), both("both"), out("out");
RDom r(0, 3, "r");
f(x, y) = cast<int>(in(x, y)) * 3;
g(x, y) = f(x, y) + f(x + 1, y);
h(x, y) = f(x + 2, y) - f(x, y + 1);
sums(x, y) = 1;
sums(x, y) += in(x + r, y);
sums(x, y) = sums(x, y) * 2 + r;
pair(x, y) = Tuple(sums(x, y) - g(x, y), sums(x, y) + h(x, y));
both(x, y) = pair(x, y)[0] - pair(x, y)[1];
out(x, y) = pair(x, y)[0] * 3 + both(x, y) + f(x, y) + g(x, y) + sums(x, y);
f.compute_root();
f.clone_in({g, h}).compute_root().vectorize(x, 4);
g.compute_root();
Func inlined = g.clone_in(pair);
inlined.compute_inline();
g.clone_in(pair).compute_inline();
h.compute_root();
sums.compute_root();
sums.clone_in(pair).compute_at(pair, y).vectorize(x, 4);
pair.compute_root();
both.compute_root();
output(out);
