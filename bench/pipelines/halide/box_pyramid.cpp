// A pyramid of boxes: each level has the rounded mean of 2 x 2 of the level below. Outputs: the coarsest level, and the
// mean over all levels, each in full size again by repeating its pixels. Borders are replicated.
#include "Halide.h"

#include <string>
#include <vector>

using namespace Halide;
using std::string;
using std::vector;

class BoxPyramid : public Generator<BoxPyramid> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<int> levels{"levels", 4, 1, 8};
    Input<Buffer<uint8_t, 2>> in{"in"};
    Output<Buffer<uint8_t, 2>> coarse{"coarse"};
    Output<Buffer<float, 2>> mean{"mean"};

    void generate() {
        pyramid.push_back(BoundaryConditions::repeat_edge(in));
        while ((int)pyramid.size() <= levels) {
            pyramid.push_back(boxes(pyramid.back(), pyramid.size()));
        }
        coarse(x, y) = pyramid.back()(x, y);

        // Level l has pixel (x >> l, y >> l).
        vector<Expr> terms;
        int shift = 0;
        for (const Func &level : pyramid) {
            terms.push_back(cast<float>(level(x >> shift, y >> shift)));
            shift++;
        }
        Expr sum;
        for (size_t l = 0; l < terms.size(); l++) {
            sum = sum.defined() ? sum + terms[l] : terms[l];
        }
        mean(x, y) = sum / (float)terms.size();
    }

    void schedule() {
        const int width = 2560, height = 1536, scale = 1 << levels;
        in.set_estimates({{0, width}, {0, height}});
        coarse.set_estimates({{0, width / scale}, {0, height / scale}});
        mean.set_estimates({{0, width}, {0, height}});
        if (using_autoscheduler()) {
            return;
        }
        switch (plan) {
        case 0:
            break;
        case 1:
            for (int l = 1; l <= levels; l++) {
                auto &level =
                    pyramid[l].compute_root().vectorize(x, natural_vector_size<uint16_t>(), TailStrategy::GuardWithIf);
                if (l < 4) {
                    level.parallel(y, 8);
                }
            }
            mean.split(y, y, yi, 16).parallel(y).vectorize(x, natural_vector_size<float>());
            break;
        case 3: // half of 1
            for (int l = 1; l <= levels; l++) {
                pyramid[l].compute_root();
            }
            break;
        default:
            // Every second level is stored; those between are computed once more for each that reads them.
            mean.tile(x, y, xi, yi, 128, 32).parallel(y).vectorize(xi, natural_vector_size<float>());
            for (int l = 1; l <= levels; l++) {
                Func level = pyramid[l];
                if (l % 2 == 0 || l == levels) {
                    level.compute_root()
                        .split(y, y, yi, 4, TailStrategy::GuardWithIf)
                        .parallel(y)
                        .vectorize(x, 8, TailStrategy::GuardWithIf);
                } else {
                    level.in(pyramid[l + 1]).compute_at(pyramid[l + 1], y).vectorize(x, 8, TailStrategy::GuardWithIf);
                    level.in(mean).compute_at(mean, x).vectorize(x, 8, TailStrategy::GuardWithIf);
                }
            }
        }
    }

private:
    Func boxes(Func f, int level) {
        Func g("level_" + std::to_string(level));
        Expr sum = widening_add(f(2 * x, 2 * y), f(2 * x + 1, 2 * y));
        sum += widening_add(f(2 * x, 2 * y + 1), f(2 * x + 1, 2 * y + 1));
        g(x, y) = cast<uint8_t>((sum + 2) / 4);
        return g;
    }

    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    vector<Func> pyramid;
};

HALIDE_REGISTER_GENERATOR(BoxPyramid, box_pyramid)
