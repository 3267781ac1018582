// RUN: %python %lib/halide_values.py %s
// A Func between a Func, or an input, and some of its readers, or all of them; it may be read by its name.
// in: in = 5x4 u8: 1 2 3 4 5 / 6 7 8 9 10 / 20 30 40 50 60 / 9 8 7 6 5
// extents: out = 3 3
// expect: out = 3x3 i32: 48 69 90 / 243 324 405 / 444 648 852
ImageParam in(UInt(8), 2, "in");
Var x("x"), y("y"), xi("xi");
Func f("f"), g("g"), h("h"), pair("pair"), out("out");
f(x, y) = cast<int>(in(x, y)) * 3;
g(x, y) = f(x, y) + f(x + 1, y) + in(x, y);
h(x, y) = f(x + 2, y) - f(x, y + 1);
h(x, 0) += f(x, 0);
pair(x, y) = Tuple(g(x, y) - h(x, y), f(x, y));
Func named = f.in(pair);
out(x, y) = pair(x, y)[0] * 3 + pair(x, y)[1] + named(x, y) + h(x, y);
in.in(f).compute_root().vectorize(_0, 4);
in.in().compute_root();
f.compute_root();
f.in().compute_root();
f.in({g}).compute_at(g, y);
g.compute_root();
h.compute_root();
h.in(out).compute_at(out, y);
named.compute_root();
pair.compute_root();
pair.in(out).compute_at(out, y).vectorize(x, 4);
output(out);
