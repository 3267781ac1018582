// Each interpolation with each rule of the borders, up and down by several scales.
#include "hipacc.hpp"

#define WIDTH 16
#define HEIGHT 16

using namespace hipacc;

class Scale : public Kernel<float> {
    Accessor<float> &in;

  public:
    Scale(IterationSpace<float> &iter, Accessor<float> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() { output() = in() + 2.0f * in(1, -1); }
};

#define ONE(OUT, BOUND, MODE, W, H)              \
    Image<float> OUT(W, H);                      \
    {                                            \
        Accessor<float> acc(BOUND, MODE);        \
        IterationSpace<float> iter(OUT);         \
        Scale scale(iter, acc);                  \
        scale.execute();                         \
    }                                            \
    OUT.data();

#define SIZES(NAME, RULE, BOUND, MODE)                             \
    ONE(NAME##_up_##RULE, BOUND, MODE, WIDTH + 3, 2 * HEIGHT)      \
    ONE(NAME##_down_##RULE, BOUND, MODE, WIDTH / 2 + 1, (HEIGHT + 3) / 4)

#define RULES(NAME, MODE)                      \
    SIZES(NAME, clamp, by_clamp, MODE)         \
    SIZES(NAME, mirror, by_mirror, MODE)       \
    SIZES(NAME, repeat, by_repeat, MODE)       \
    SIZES(NAME, constant, by_constant, MODE)

int main() {
    float *pixels = load_data<float>(WIDTH, HEIGHT, 1, "photo.exr");
    if (!pixels || pixels == nullptr) exit(EXIT_FAILURE);
    Image<float> photo(WIDTH, HEIGHT, pixels);
    BoundaryCondition<float> by_clamp(photo, 5, Boundary::CLAMP), by_mirror(photo, 5, Boundary::MIRROR);
    BoundaryCondition<float> by_repeat(photo, 5, Boundary::REPEAT), by_constant(photo, 5, Boundary::CONSTANT, 7.5);
    RULES(nearest, Interpolate::NN)
    RULES(linear, Interpolate::LF)
    RULES(cubic, Interpolate::CF)
    RULES(lanczos, Interpolate::L3)
    return 0;
}
