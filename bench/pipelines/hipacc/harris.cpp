// Corners by Harris and Stephens: the derivatives are of char, their products of short. The image `derivative` is
// written twice, and each kernel reads what it has then.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define MODE Boundary::CLAMP

using namespace hipacc;

class Derivative : public Kernel<char> {
    Accessor<uchar> &in;
    Mask<char> &mask;
    Domain &dom;

  public:
    Derivative(IterationSpace<char> &iter, Accessor<uchar> &in, Mask<char> &mask, Domain &dom)
        : Kernel(iter), in(in), mask(mask), dom(dom) { add_accessor(&in); }

    void kernel() {
        output() = reduce(dom, Reduce::SUM, [&]() -> short { return in(dom) * mask(dom); }) / 6;
    }
};

class Product : public Kernel<short> {
    Accessor<char> &a, &b;

  public:
    Product(IterationSpace<short> &iter, Accessor<char> &a, Accessor<char> &b) : Kernel(iter), a(a), b(b) {
        add_accessor(&a);
        add_accessor(&b);
    }

    void kernel() { output() = a() * b(); }
};

class Smooth : public Kernel<short> {
    Accessor<short> &in;
    Mask<float> &mask;

  public:
    Smooth(IterationSpace<short> &iter, Accessor<short> &in, Mask<float> &mask) : Kernel(iter), in(in), mask(mask) {
        add_accessor(&in);
    }

    void kernel() {
        output() = convolve(mask, Reduce::SUM, [&]() -> float { return in(mask) * mask(); });
    }
};

class Corners : public Kernel<uchar> {
    Accessor<short> &dx2, &dy2, &dxy;
    float k, threshold;

  public:
    Corners(IterationSpace<uchar> &iter, Accessor<short> &dx2, Accessor<short> &dy2, Accessor<short> &dxy, float k,
            float threshold)
        : Kernel(iter), dx2(dx2), dy2(dy2), dxy(dxy), k(k), threshold(threshold) {
        add_accessor(&dx2);
        add_accessor(&dy2);
        add_accessor(&dxy);
    }

    void kernel() {
        int x = dx2(), y = dy2(), xy = dxy();
        float r = x * y - xy * xy - k * (x + y) * (x + y);
        uchar is_corner = 0;
        if (r > threshold) is_corner = 1;
        output() = is_corner;
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const float gauss[3][3] = {{0.0625f, 0.125f, 0.0625f}, {0.125f, 0.25f, 0.125f}, {0.0625f, 0.125f, 0.0625f}};
    const char to_x[3][3] = {{-1, 0, 1}, {-1, 0, 1}, {-1, 0, 1}}, to_y[3][3] = {{-1, -1, -1}, {0, 0, 0}, {1, 1, 1}};
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");

    Image<uchar> photo(WIDTH, HEIGHT, pixels), corners(WIDTH, HEIGHT);
    Image<char> first(WIDTH, HEIGHT), derivative(WIDTH, HEIGHT);
    Image<short> product(WIDTH, HEIGHT), dx2(WIDTH, HEIGHT), dy2(WIDTH, HEIGHT), dxy(WIDTH, HEIGHT);
    Mask<char> mask_x(to_x), mask_y(to_y);
    Mask<float> mask(gauss);
    Domain dom_x(mask_x), dom_y(mask_y);

    BoundaryCondition<uchar> bound(photo, dom_x, MODE);
    BoundaryCondition<short> bound_product(product, mask, MODE);
    Accessor<uchar> acc(bound);
    Accessor<char> acc_first(first), acc_derivative(derivative);
    Accessor<short> acc_product(bound_product), acc_dx2(dx2), acc_dy2(dy2), acc_dxy(dxy);
    IterationSpace<char> iter(derivative);
    IterationSpace<short> iter_product(product), iter_dx2(dx2), iter_dy2(dy2), iter_dxy(dxy);
    IterationSpace<uchar> iter_corners(corners);

    Product squares(iter_product, acc_derivative, acc_derivative), products(iter_product, acc_first, acc_derivative);

    Derivative along_x(iter, acc, mask_x, dom_x), along_y(iter, acc, mask_y, dom_y);
    Smooth to_dx2(iter_dx2, acc_product, mask), to_dy2(iter_dy2, acc_product, mask), to_dxy(iter_dxy, acc_product, mask);
    along_x.execute();
    squares.execute();
    to_dx2.execute();
    first = derivative;
    along_y.execute();
    squares.execute();
    to_dy2.execute();
    products.execute();
    to_dxy.execute();

    Corners find(iter_corners, acc_dx2, acc_dy2, acc_dxy, 0.04f, 20000.0f);
    find.execute();
    save_data(WIDTH, HEIGHT, 1, corners.data(), "corners.png");
    return EXIT_SUCCESS;
}
