// A Laplace filter whose corners are holes, and the largest neighbour, with each mode of borders: a domain of a mask,
// and one with a hole in its centre.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024

using namespace hipacc;

class Laplace : public Kernel<int> {
    Accessor<uchar> &in;
    Mask<int> &mask;
    Domain &dom, &ring;

  public:
    Laplace(IterationSpace<int> &iter, Accessor<uchar> &in, Mask<int> &mask, Domain &dom, Domain &ring)
        : Kernel(iter), in(in), mask(mask), dom(dom), ring(ring) {
        add_accessor(&in);
    }

    void kernel() {
        int sum = reduce(dom, Reduce::SUM, [&]() -> int { return mask(dom) * in(dom); });
        uchar most = reduce(ring, Reduce::MAX, [&]() -> uchar { return in(ring); });
        sum = min(max(sum + 128, 0), 255);
        output() = sum * 256 + most;
    }
};

void filter(BoundaryCondition<uchar> &bound, Image<int> &out, Mask<int> &mask, Domain &dom, Domain &ring) {
    Accessor<uchar> acc(bound);
    IterationSpace<int> iter(out);
    Laplace laplace(iter, acc, mask, dom, ring);
    laplace.execute();
}

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const int coef[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");
    Image<uchar> photo(WIDTH, HEIGHT, pixels);
    Image<int> clamped(WIDTH, HEIGHT), mirrored(WIDTH, HEIGHT), repeated(WIDTH, HEIGHT), constant(WIDTH, HEIGHT);
    Mask<int> mask(coef);
    Domain dom(mask), ring(5, 3);
    ring(0, 0) = 0;
    ring(-2, -1) = 0;

    BoundaryCondition<uchar> by_clamp(photo, ring, Boundary::CLAMP);
    BoundaryCondition<uchar> by_mirror(photo, ring, Boundary::MIRROR);
    BoundaryCondition<uchar> by_repeat(photo, 5, 3, Boundary::REPEAT);
    BoundaryCondition<uchar> by_constant(photo, 5, Boundary::CONSTANT, 100);
    filter(by_clamp, clamped, mask, dom, ring);
    filter(by_mirror, mirrored, mask, dom, ring);
    filter(by_repeat, repeated, mask, dom, ring);
    filter(by_constant, constant, mask, dom, ring);

    clamped.data();
    mirrored.data();
    repeated.data();
    constant.data();
    return EXIT_SUCCESS;
}
