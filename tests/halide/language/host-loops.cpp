// RUN: %python %lib/halide_values.py %s
// Loops of the host that make chains and vectors of Funcs; range for; an index of a vector.
// in: in = 20 i32: 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361
// extents: out = 3
// extents: sums = 2
// expect: out = 3 i32: 154 266 1466
// expect: sums = 2 i32: 41 92
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"}, sums{"sums"};
Var x("x");
const int levels = 4;
std::vector<Func> pyramid(levels);
pyramid[0](x) = in(x);
for (int l = 1; l < levels; l++) {
    pyramid[l](x) = pyramid[l - 1](2 * x) + pyramid[l - 1](2 * x + 1);
}
out(x) = pyramid[levels - 2](x) + pyramid.back()(x / 2);
Func chain[3];
for (int i = 2; i >= 0; --i) {
    chain[i](x) = (i == 2 ? Expr(in(x)) : chain[i + 1](x + 1)) * (i + 1);
}
Expr all = 0;
for (auto &f : chain) {
    all += f(x);
}
for (int weight : {1, 10}) all = all + weight;
sums(x) = all;
