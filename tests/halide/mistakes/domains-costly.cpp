// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for Halide; what the readers need are thousands of intervals, of indices that are selected
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::vector<Func> g(6);
// CHECK: :[[#@LINE+1]]:12: error: the bounds of what f0 reads take too much work: its indices or those of its readers should be simpler
g[0](x, y) = in(x, y);
for (int k = 1; k < 6; k++) {
    Expr e = cast<uint8_t>(0);
    for (int i = 0; i < 8; i++)
        e = e + g[k - 1](select(x > i * y, x * (i + 1) / (i % 5 + 2), y / (i + 3)), y / (i + 1) + x);
    g[k](x, y) = e;
}
out(x, y) = g[5](x, y);
