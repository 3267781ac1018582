// A Laplacian pyramid of three levels, whose details are made stronger on the way back. The levels go down by the
// nearest pixel of a blur, and up by linear interpolation.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define DEPTH 3

using namespace hipacc;

class Blur : public Kernel<short> {
    Accessor<short> &in;
    Mask<int> &mask;

  public:
    Blur(IterationSpace<short> &iter, Accessor<short> &in, Mask<int> &mask) : Kernel(iter), in(in), mask(mask) {
        add_accessor(&in);
    }
    void kernel() { output() = convolve(mask, Reduce::SUM, [&]() { return mask() * in(mask); }) / 16; }
};

class Copy : public Kernel<short> {
    Accessor<short> &in;

  public:
    Copy(IterationSpace<short> &iter, Accessor<short> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() { output() = in(); }
};

class Combine : public Kernel<short> {
    Accessor<short> &a, &b;
    const int by;

  public:
    Combine(IterationSpace<short> &iter, Accessor<short> &a, Accessor<short> &b, int by)
        : Kernel(iter), a(a), b(b), by(by) {
        add_accessor(&a);
        add_accessor(&b);
    }
    void kernel() { output() = a() + by * b() / 2; }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const int coef[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    short *pixels = load_data<short>(WIDTH, HEIGHT, 1, "photo.png");
    Image<short> photo(WIDTH, HEIGHT, pixels), blurred(WIDTH, HEIGHT), details(WIDTH, HEIGHT);
    Mask<int> mask(coef);
    Pyramid<short> levels(photo, DEPTH), blurs(blurred, DEPTH), laplacian(details, DEPTH);

    traverse(levels, blurs, laplacian, [&]() {
        if (!levels.is_bottom_level()) {
            BoundaryCondition<short> bound(levels(0), mask, Boundary::CLAMP);
            Accessor<short> around(bound);
            IterationSpace<short> iter_blur(blurs(0)), iter_down(levels(1)), iter_details(laplacian(0));
            Blur blur(iter_blur, around, mask);
            blur.execute();
            Accessor<short> fine(blurs(0), Interpolate::NN);
            Copy down(iter_down, fine);
            down.execute();
            Accessor<short> level(levels(0)), coarse(levels(1), Interpolate::LF);
            Combine subtract(iter_details, level, coarse, -2);
            subtract.execute();
        }
        traverse();
        if (!levels.is_bottom_level()) {
            IterationSpace<short> iter(levels(0));
            Accessor<short> coarse(levels(1), Interpolate::LF), detail(laplacian(0));
            Combine add(iter, coarse, detail, 3);
            add.execute();
        }
    });

    save_data(WIDTH, HEIGHT, 1, photo.data(), "sharper.png");
    save_data(WIDTH, HEIGHT, 1, details.data(), "details.png");
    return EXIT_SUCCESS;
}
