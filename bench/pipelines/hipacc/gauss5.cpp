// A Gaussian blur of 5x5 points, mirrored at the borders: one mask, one convolution.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define MODE Boundary::MIRROR

using namespace hipacc;

class Gaussian : public Kernel<uchar> {
  private:
    Accessor<uchar> &in;
    Mask<float> &mask;

  public:
    Gaussian(IterationSpace<uchar> &iter, Accessor<uchar> &in, Mask<float> &mask)
        : Kernel(iter), in(in), mask(mask) {
        add_accessor(&in);
    }

    void kernel() {
        output() = (uchar)(convolve(mask, Reduce::SUM, [&]() -> float { return mask() * in(mask); }) + 0.5f);
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const float coef[5][5] = {{0.005008f, 0.017300f, 0.026151f, 0.017300f, 0.005008f},
                              {0.017300f, 0.059761f, 0.090339f, 0.059761f, 0.017300f},
                              {0.026151f, 0.090339f, 0.136565f, 0.090339f, 0.026151f},
                              {0.017300f, 0.059761f, 0.090339f, 0.059761f, 0.017300f},
                              {0.005008f, 0.017300f, 0.026151f, 0.017300f, 0.005008f}};
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");

    Image<uchar> photo(WIDTH, HEIGHT, pixels);
    Image<uchar> blurred(WIDTH, HEIGHT);
    Mask<float> mask(coef);
    BoundaryCondition<uchar> bound(photo, mask, MODE);
    Accessor<uchar> acc(bound);
    IterationSpace<uchar> iter(blurred);

    Gaussian filter(iter, acc, mask);
    filter.execute();

    save_data(WIDTH, HEIGHT, 1, blurred.data(), "blurred.jpg");
    return EXIT_SUCCESS;
}
