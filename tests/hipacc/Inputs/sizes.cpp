// Sizes that the call decides, and what the host computes of them and of reduced values.
#include "hipacc.hpp"
#define WIDTH 640
const int HEIGHT = 480;
using namespace hipacc;

class Extreme : public Kernel<short> {
    Accessor<short> &in;
    const bool is_max;
  public:
    Extreme(IterationSpace<short> &iter, Accessor<short> &in, bool is_max) : Kernel(iter), in(in), is_max(is_max) {
        add_accessor(&in);
    }
    void kernel() { output() = is_max ? in() : -in(); }
    short reduce(short left, short right) const { return max(left, right); }
};

class Stretch : public Kernel<float> {
    Accessor<short> &in;
    Mask<float> &mask;
    const float least, scale;
    const int right;
    const unsigned half;
  public:
    Stretch(IterationSpace<float> &iter, Accessor<short> &in, Mask<float> &mask, float least, float scale, int right, unsigned half)
          : Kernel(iter), in(in), mask(mask), least(least), scale(scale), right(right), half(half) {
        add_accessor(&in);
    }
    void kernel() {
        float sum = convolve(mask, Reduce::SUM, [&] () -> float { return mask() * in(mask); });
        float value = (in() - least) * scale;
        if (x() >= right) value = sum;
        if (y() + 0u > half) value += WIDTH % 5 + x() / 2;
        output() = value;
    }
};

int main() {
    const size_t pixels = WIDTH * HEIGHT;
    short *data = load_data<short>(WIDTH, HEIGHT, 1, "photo");
    Image<short> photo(WIDTH, HEIGHT, data), copy(WIDTH, HEIGHT), negative(WIDTH, HEIGHT);
    Image<float> stretched(WIDTH, HEIGHT);
    Accessor<short> all(photo);
    IterationSpace<short> space(copy), other(negative);
    Extreme most_of(space, all, true), least_of(other, all, false);
    short most = most_of.reduced_data(), least = -least_of.reduced_data();
    float range = most > least ? float(most - least) : 1.0f;
    std::cerr << "pixels: " << pixels << ", range: " << range << std::endl;
    const float coefficients[1][3] = {{0.5f, 2.0f / range, 1.0f / WIDTH}};
    Mask<float> mask(coefficients);
    BoundaryCondition<short> bound(photo, mask, Boundary::CLAMP);
    Accessor<short> near(bound);
    const unsigned half = HEIGHT / 2;
    IterationSpace<float> inside(stretched, WIDTH - 2, HEIGHT, 2, 0);
    Accessor<short> part(bound, WIDTH - 2, HEIGHT, 2, 0);
    Stretch stretch(inside, part, mask, least, 255.0f / range, WIDTH - 2 - WIDTH / 3, half);
    stretch.execute();
    save_data(WIDTH, HEIGHT, 1, stretched.data(), "stretched");
}
