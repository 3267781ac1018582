// Unsharp mask by gray values: each channel is scaled by what the sharpened gray is over the gray. A Gaussian of seven
// points in both directions, not normalized; borders are replicated.
#include "Halide.h"

#include <cmath>
#include <vector>

using namespace Halide;

namespace {

constexpr int RADIUS = 3;

struct Kernel {
    std::vector<float> weights;

    explicit Kernel(float sigma) {
        for (int i = 0; i <= RADIUS; i++) {
            weights.push_back(std::exp(-(i * i) / (2 * sigma * sigma)) / (std::sqrt(2 * 3.14159265f) * sigma));
        }
    }
};

} // namespace

class Unsharp : public Halide::Generator<Unsharp> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<float> sigma{"sigma", 1.5f};
    Input<Buffer<float, 3>> in{"in"};
    Output<Buffer<float, 3>> sharpened{"sharpened"};

    void generate() {
        const Kernel kernel(sigma);
        const auto line = [&](auto at) {
            Expr value = kernel.weights[0] * at(0);
            for (int i = 1; i <= RADIUS; i++) {
                value += kernel.weights[i] * (at(-i) + at(i));
            }
            return value;
        };
        Func padded = BoundaryConditions::repeat_edge(in);
        gray(x, y) = 0.299f * padded(x, y, 0) + 0.587f * padded(x, y, 1) + 0.114f * padded(x, y, 2);
        down(x, y) = line([&](int i) { return gray(x, y + i); });
        smooth(x, y) = line([&](int i) { return down(x + i, y); });
        ratio(x, y) = (2 * gray(x, y) - smooth(x, y)) / gray(x, y);
        sharpened(x, y, c) = ratio(x, y) * in(x, y, c);
    }

    void schedule() {
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        sharpened.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        if (using_autoscheduler() || plan == 0) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        in.dim(2).set_bounds(0, 3);
        sharpened.dim(2).set_bounds(0, 3);
        sharpened.bound(c, 0, 3).reorder(c, x, y).unroll(c);
        if (plan == 1 || plan == 3) { // 3: half of 1
            sharpened.split(y, y, yi, 32).parallel(y).vectorize(x, lanes);
            gray.store_at(sharpened, y).compute_at(sharpened, yi).vectorize(x, lanes);
            if (plan == 3) {
                return;
            }
            down.compute_at(sharpened, yi).vectorize(x, lanes);
            ratio.compute_at(sharpened, yi).vectorize(x, lanes);
        } else {
            sharpened.tile(x, y, xi, yi, 128, 16).parallel(y).vectorize(xi, lanes);
            gray.compute_at(sharpened, x).vectorize(x, lanes);
            down.compute_at(sharpened, x).vectorize(x, lanes);
            ratio.compute_at(sharpened, xi).vectorize(x, lanes);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, xi{"xi"}, yi{"yi"};
    Func gray{"gray"}, down{"down"}, smooth{"smooth"}, ratio{"ratio"};
};

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)
