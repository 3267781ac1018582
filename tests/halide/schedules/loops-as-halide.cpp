// Loops that are not one right outside of the other are fused, of loops that are fused already too; the last directive
// says the kind of a loop; tiles of several dimensions are lists.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK-DAG: poly.demand {how = "together", stages = [@out, @a], tile = [1 : index, 1 : index, 4 : index, 0 : index], inner = []}
// CHECK-DAG: poly.demand {how = "together", stages = [@other, @b], tile = [1 : index, 2 : index, 6 : index, 16 : index], inner = []}
Input<Buffer<uint8_t, 4>> in{"in"};
Output<Buffer<uint8_t, 4>> out{"out"}, other{"other"};
Var x("x"), y("y"), c("c"), n("n"), xi("xi"), yi("yi"), ci("ci"), cn("cn"), all("all"), xo("xo"), yo("yo"), co("co");
Func a("a"), b("b");
a(x, y, c, n) = in(x, y, c, n) / 2 + in(x, y + 1, c, n) / 2;
b(x, y, c, n) = in(x, y, c, n) / 2 + in(x + 1, y, c, n) / 2;
out(x, y, c, n) = a(x, y, c, n) + a(x + 1, y, c, n);
other(x, y, c, n) = b(x, y, c, n) + b(x, y + 1, c, n);
out.tile({x, y}, {xi, yi}, {8, 4}).fuse(c, n, cn).fuse(y, cn, all).vectorize(all).parallel(all).vectorize(xi);
a.compute_at(out, x);
other.tile({x, y, c}, {xo, yo, co}, {xi, yi, ci}, {16, 6, 2}).fuse(xo, n, n).parallel(co);
b.compute_at(other, n);
