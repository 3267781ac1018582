// RUN: %python %lib/halide_values.py %s
// A convolution with weights of the host: an array of arrays, a vector made by a function.
// in: in = 4x3 i32: 1 2 3 4 / 5 6 7 8 / 9 10 11 12
// extents: sobel = 2 1
// extents: line = 2 3
// expect: sobel = 2x1 i32: 8 8
// expect: line = 2x3 f32: 2 2.9999998 / 5.9999995 6.9999995 / 10 11
#include <cmath>
#include <vector>
Input<Buffer<int, 2>> in{"in"};
Output<Buffer<int, 2>> sobel{"sobel"};
Output<Buffer<float, 2>> line{"line"};
Var x("x"), y("y");
std::vector<float> gaussian(int radius, float sigma) {
    std::vector<float> w;
    float total = 0;
    for (int i = -radius; i <= radius; i++) {
        w.push_back(std::exp(-i * i / (2 * sigma * sigma)));
        total += w.back();
    }
    for (float &v : w) v /= total;
    return w;
}
const int kernel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
Expr e = 0;
for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
        if (kernel[j][i] != 0) e += kernel[j][i] * in(x + i, y + j);
sobel(x, y) = e;
std::vector<float> w = gaussian(1, 0.8f);
line(x, y) = w[0] * in(x, y) + w[1] * in(x + 1, y) + w[2] * in(x + 2, y);
