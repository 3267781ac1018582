// RUN: %python %lib/halide_values.py %s
// Levels of a transform, all of them outputs of sizes of their own, over a mirrored border: what a level needs of the one
// before ends at the greatest of what its output and the next level read, as none of them is always the greatest.
// in: in = 9x7 u8: 136 145 63 32 246 247 45 176 34 / 210 77 10 150 218 212 60 22 23 / 193 169 142 120 18 158 3 39 55 / 16 101 208 149 134 79 21 173 160 / 184 70 193 192 235 197 52 138 220 / 121 154 223 132 155 173 5 212 161 / 10 192 68 30 170 238 180 180 142
// extents: one = 5 4
// extents: two = 3 2
// extents: three = 4 1
// extents: four = 1 3
// expect: one = 5x4 i32: 311 431 453 232 198 / 361 403 380 242 233 / 466 424 270 327 384 / 434 500 443 495 549
// expect: two = 3x2 i32: 1237 1107 1201 / 1261 993 1181
// expect: three = 4x1 i32: 3953 4022 3907 3962
// expect: four = 1x3 i32: 12114 / 12199 / 12193
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<int, 2>> one{"one"};
Output<Buffer<int, 2>> two{"two"};
Output<Buffer<int, 2>> three{"three"};
Output<Buffer<int, 2>> four{"four"};
Var x("x"), y("y");
std::vector<Func> level(5), rows(5);
level[0](x, y) = cast<int>(BoundaryConditions::mirror_image(in)(x, y));
for (int i = 1; i < 5; i++) {
    Expr across = 0, down = 0;
    for (int k = 0; k < 4; k++) across += level[i - 1](2 * x + k - 1, y) * (k + 1);
    rows[i](x, y) = across / 4;
    for (int k = 0; k < 4; k++) down += rows[i](x, 2 * y + k - 2) * (4 - k);
    level[i](x, y) = down / 8;
    rows[i].compute_root();
    level[i].compute_root();
}
one(x, y) = level[1](x, y);
two(x, y) = level[2](x, y);
three(x, y) = level[3](x, y);
four(x, y) = level[4](x, y);
