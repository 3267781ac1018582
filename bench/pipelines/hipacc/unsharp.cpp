// Unsharp masking of pictures with four channels: what a blur takes away is added, but to alpha.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024

using namespace hipacc;
using namespace hipacc::math;

class Blur : public Kernel<float4> {
    Accessor<uchar4> &in;
    Mask<float> &mask;

  public:
    Blur(IterationSpace<float4> &iter, Accessor<uchar4> &in, Mask<float> &mask) : Kernel(iter), in(in), mask(mask) {
        add_accessor(&in);
    }

    void kernel() {
        output() = convolve(mask, Reduce::SUM, [&]() -> float4 { return convert_float4(in(mask)) * mask(); });
    }
};

class Sharpen : public Kernel<uchar4> {
    Accessor<uchar4> &in;
    Accessor<float4> &blurred;
    float amount;

  public:
    Sharpen(IterationSpace<uchar4> &iter, Accessor<uchar4> &in, Accessor<float4> &blurred, float amount)
        : Kernel(iter), in(in), blurred(blurred), amount(amount) {
        add_accessor(&in);
        add_accessor(&blurred);
    }

    void kernel() {
        uchar4 pixel = in();
        float4 sharp = convert_float4(pixel);
        sharp += amount * (sharp - blurred());
        uchar4 result = convert_uchar4(min(max(sharp, 0.0f), 255.0f));
        if (pixel.w < 128) result.x = max(pixel.x, result.x);
        result.w = pixel.w;
        output() = result;
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    const float coef[3][3] = {{0.0625f, 0.125f, 0.0625f}, {0.125f, 0.25f, 0.125f}, {0.0625f, 0.125f, 0.0625f}};
    uchar4 *pixels = (uchar4 *)load_data<uchar>(WIDTH, HEIGHT, 4, "photo.png");

    Image<uchar4> photo(WIDTH, HEIGHT, pixels), sharp(WIDTH, HEIGHT);
    Image<float4> blurred(WIDTH, HEIGHT);
    Mask<float> mask(coef);
    BoundaryCondition<uchar4> bound(photo, mask, Boundary::CLAMP);
    Accessor<uchar4> acc(photo), around(bound);
    Accessor<float4> acc_blurred(blurred);
    IterationSpace<float4> iter_blurred(blurred);
    IterationSpace<uchar4> iter(sharp);

    Blur blur(iter_blurred, around, mask);
    blur.execute();
    Sharpen sharpen(iter, acc, acc_blurred, 1.5f);
    sharpen.execute();

    save_data(WIDTH, HEIGHT, 4, (uchar *)sharp.data(), "sharp.png");
    return EXIT_SUCCESS;
}
