// A Laplace filter of 5x5 points, around 128.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define MODE Boundary::CLAMP

using namespace hipacc;

class Laplace : public Kernel<uchar> {
    Accessor<uchar> &in;
    Mask<int> &mask;

  public:
    Laplace(IterationSpace<uchar> &iter, Accessor<uchar> &in, Mask<int> &mask) : Kernel(iter), in(in), mask(mask) {
        add_accessor(&in);
    }

    void kernel() {
        int sum = convolve(mask, Reduce::SUM, [&]() -> int { return mask() * in(mask); });
        output() = min(max(sum + 128, 0), 255);
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const int coef[5][5] = {
        {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, -24, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");

    Image<uchar> photo(WIDTH, HEIGHT, pixels);
    Image<uchar> edges(WIDTH, HEIGHT);
    Mask<int> mask(coef);
    BoundaryCondition<uchar> bound(photo, mask, MODE);
    Accessor<uchar> acc(bound);
    IterationSpace<uchar> iter(edges);

    Laplace filter(iter, acc, mask);
    filter.execute();

    save_data(WIDTH, HEIGHT, 1, edges.data(), "edges.jpg");
    return EXIT_SUCCESS;
}
