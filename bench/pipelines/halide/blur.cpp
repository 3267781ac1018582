// A box of 3 x 3 over 16 bits as two passes, each rounded down; the window of a pixel begins at it, so that the input
// is 2 larger than the output in both dimensions. Sums wrap above 65535.
#include "Halide.h"

using namespace Halide;

class Blur : public Generator<Blur> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    Input<Buffer<uint16_t, 2>> in{"in"};
    Output<Buffer<uint16_t, 2>> blurred{"blurred"};

    void generate() {
        across(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / 3;
        blurred(x, y) = (across(x, y) + across(x, y + 1) + across(x, y + 2)) / 3;
    }

    void schedule() {
        in.set_estimates({{0, 6402}, {0, 4802}});
        blurred.set_estimates({{0, 6400}, {0, 4800}});
        if (using_autoscheduler() || plan == 0) {
            return;
        }
        const int lanes = natural_vector_size<uint16_t>();
        if (plan == 3) { // half of 1
            blurred.split(y, y, yi, 32).parallel(y).vectorize(x, lanes);
        } else if (plan == 1) {
            // Strips of rows; within one, a row of the first pass is kept for the three rows that read it.
            blurred.split(y, y, yi, 32).parallel(y).vectorize(x, lanes);
            across.store_at(blurred, y).compute_at(blurred, yi).vectorize(x, lanes);
        } else {
            blurred.tile(x, y, xi, yi, 256, 32).parallel(y).vectorize(xi, lanes);
            across.compute_at(blurred, x).vectorize(x, lanes);
        }
    }

private:
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Func across{"across"};
};

HALIDE_REGISTER_GENERATOR(Blur, blur)
