// RUN: %python %lib/halide_values.py %s
// Buffers whose first index is not 0, their shape as numbers of the host code, and assignments in a chain.
// in: in = 4 i32: 1 10 100 1000
// extents: out = 3
// extents: table = 3 2
// extents: shape = 7
// expect: out = 3 i32: 73 730 7300
// expect: table = 3x2 f32: 2.75 2.75 2.75 / 4.5 2.75 2.75
// expect: shape = 7 i32: 104 103 99 101 104 99 101
Input<Buffer<int, 1>> in{"in"};
Output<Buffer<int, 1>> out{"out"};
Output<Buffer<float, 2>> table{"table"};
Output<Buffer<int, 1>> shape{"shape"};
Var x("x"), y("y"), i("i");
Buffer<int> kernel(2);
kernel.set_min(-1);
kernel(-1) = kernel(0) = 3;
kernel(0) += 4;
RDom r(kernel);
out(x) = sum(kernel(r) * in(x + 1 + r));
Buffer<float> m(4, 3);
m.fill(0.5f);
m.set_min(1, 2);
m.translate({-1, -2});
m.translate(1, -1);
float last = m(3, -1) = m(0, 0) = m(1, 1) = 2.25f;
table(x, y) = m(x, y - 1) + last;
std::vector<int> numbers = {m.width(), m.height(), m.dim(1).min(), m.dim(1).max(), m.dim(0).extent(), m.min(1), kernel.dimensions()};
Buffer<int> listed(7);
for (int k = 0; k < 7; k++) {
  listed(k) = numbers[k];
}
Expr size = m.width() == 4 ? 100 : 0;
shape(i) = listed(i) + size;
