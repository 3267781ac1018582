// A bilateral filter of 13x13 points: near pixels of like values count most. The weights by distance are computed by the
// program.
#include "hipacc.hpp"

#include <cmath>

#define WIDTH 1024
#define HEIGHT 1024
#define MODE Boundary::CLAMP
#define SIGMA_D 3
#define SIGMA_R 16
#define SIZE (4 * SIGMA_D + 1)

using namespace hipacc;
using namespace hipacc::math;

class Bilateral : public Kernel<float> {
    Accessor<uchar> &in;
    Mask<float> &closeness;
    Domain &dom;
    const int sigma_r;

  public:
    Bilateral(IterationSpace<float> &iter, Accessor<uchar> &in, Mask<float> &closeness, Domain &dom, int sigma_r)
        : Kernel(iter), in(in), closeness(closeness), dom(dom), sigma_r(sigma_r) {
        add_accessor(&in);
    }

    void kernel() {
        float c_r = 0.5f / (sigma_r * sigma_r);
        float d = 0.0f, p = 0.0f;
        float centre = in();
        iterate(dom, [&]() -> void {
            float diff = in(dom) - centre;
            float s = expf(-c_r * diff * diff) * closeness(dom);
            d += s;
            p += s * in(dom);
        });
        output() = p / d;
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    float coef[SIZE][SIZE];
    for (int y = 0; y < SIZE; ++y)
        for (int x = 0; x < SIZE; ++x) {
            int dx = x - SIZE / 2, dy = y - SIZE / 2;
            coef[y][x] = std::exp(-(float)(dx * dx + dy * dy) / (2.0f * SIGMA_D * SIGMA_D));
        }
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");
    Image<uchar> photo(WIDTH, HEIGHT, pixels);
    Image<float> smooth(WIDTH, HEIGHT);
    Mask<float> mask(coef);
    Domain dom(SIZE, SIZE);
    BoundaryCondition<uchar> bound(photo, dom, MODE);
    Accessor<uchar> acc(bound);
    IterationSpace<float> iter(smooth);
    Bilateral filter(iter, acc, mask, dom, SIGMA_R);
    filter.execute();

    float *result = smooth.data();
    save_data(WIDTH, HEIGHT, 1, result, "smooth.jpg");
    return EXIT_SUCCESS;
}
