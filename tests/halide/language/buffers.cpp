// RUN: %python %lib/halide_values.py %s
// Buffers whose values the program gives: read at numbers, at Vars, as a whole.
// extents: f = 4 2
// extents: g = 3
// extents: h = 2 2
// expect: f = 4x2 i32: 11 18 17 24 / 11 14 17 20
// expect: g = 3 f32: 2 43.5 85
// expect: h = 2x2 u8: 0 3 / 3 3
Output<Buffer<int, 2>> f{"f"};
Output<Buffer<float, 1>> g{"g"};
Output<Buffer<uint8_t, 2>> h{"h"};
Var x("x"), y("y");
Buffer<uint8_t> lut(4);
Buffer<float> kernel(3, 2);
Buffer<int> filled(2, 2);
static float weights[] = {0.5f, 1.5f, 2.5f};
Buffer<float> given(weights);
for (int i = 0; i < 4; i++) {
  lut(i) = 250 + 3 * i;
}
for (int j = 0; j < 2; j++) {
  for (int i = 0; i < 3; i++) {
    kernel(i, j) = i + 10.5f * j;
  }
}
filled.fill(3);
filled(1, 0) += 4;
int known = filled(1, 0) * 2;
RDom r(kernel);
f(x, y) = lut(x) + known + filled(x % 2, y);
g(x) = given(x) * lut.width();
g(x) += kernel(r.x, r.y) * x;
h(x, y) = BoundaryConditions::repeat_edge(lut)(x + y + 2);
