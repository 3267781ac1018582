// Pixels without colour are filled from those around them: the picture times its alpha is made smaller level by level,
// and each level fills from the one above what its own alpha leaves. Four planes in, three out; borders are replicated.
#include "Halide.h"

#include <vector>

namespace {

using namespace Halide;

class Interpolate : public Generator<Interpolate> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<int> levels{"levels", 10, 1, 14};
    GeneratorParam<int> closed{"closed", 4}; // the level made of one that is clamped, lest the borders grow further
    Input<Buffer<float, 3>> in{"in"};
    Output<Buffer<float, 3>> out{"out"};

    void generate();
    void schedule();

private:
    static Func halve(const Func &f, const std::string &name, Func &across);
    static Func twice(const Func &f, const std::string &name);

    Func weighted() {
        Func padded = BoundaryConditions::repeat_edge(in), f("weighted");
        f(x, y, c) = select(c < 3, padded(x, y, c) * padded(x, y, 3), padded(x, y, 3));
        return f;
    }

    Func clamped(const Func &f, Expr width, Expr height) {
        Func g("clamped");
        g(x, y, c) = f(clamp(x, 0, width), clamp(y, 0, height), c);
        return g;
    }

    static Var x, y, c;
    Var xi{"xi"}, yi{"yi"}, xo{"xo"}, yo{"yo"};
    std::vector<Func> small, half, filled;
    Func normalized{"normalized"};
};

Var Interpolate::x("x"), Interpolate::y("y"), Interpolate::c("c");

// 1 2 1 in both directions, at every second point.
Func Interpolate::halve(const Func &f, const std::string &name, Func &across) {
    Func both(name);
    across = Func(name + "_across");
    across(x, y, c) = (f(2 * x - 1, y, c) + 2 * f(2 * x, y, c) + f(2 * x + 1, y, c)) * 0.25f;
    both(x, y, c) = (across(x, 2 * y - 1, c) + 2 * across(x, 2 * y, c) + across(x, 2 * y + 1, c)) * 0.25f;
    return both;
}

// Between two points, their mean.
Func Interpolate::twice(const Func &f, const std::string &name) {
    Func across(name + "_across"), both(name);
    across(x, y, c) = (f(x / 2, y, c) + f((x + 1) / 2, y, c)) / 2;
    both(x, y, c) = (across(x, y / 2, c) + across(x, (y + 1) / 2, c)) / 2;
    return both;
}

void Interpolate::generate() {
    small.push_back(weighted());
    half.emplace_back();
    for (int l = 1; l < levels; l++) {
        Func finer = small.back();
        if (l == closed) {
            const int scale = 1 << (l - 1);
            finer = clamped(finer, in.width() / scale, in.height() / scale);
        }
        Func across;
        small.push_back(halve(finer, "small_" + std::to_string(l), across));
        half.push_back(across);
    }

    filled.resize(levels);
    filled[levels - 1] = small[levels - 1];
    for (int l = levels - 2; l >= 0; --l) {
        Func coarser = twice(filled[l + 1], "twice_" + std::to_string(l));
        filled[l] = Func("filled_" + std::to_string(l));
        filled[l](x, y, c) = small[l](x, y, c) + (1.0f - small[l](x, y, 3)) * coarser(x, y, c);
    }
    normalized(x, y, c) = filled[0](x, y, c) / filled[0](x, y, 3);
    out(x, y, c) = normalized(x, y, c);
}

void Interpolate::schedule() {
    in.set_estimates({{0, 1536}, {0, 2560}, {0, 4}});
    out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
    if (using_autoscheduler() || plan == 0) {
        return;
    }
    const int lanes = natural_vector_size<float>();
    const bool tiled = plan == 2;
    in.dim(2).set_bounds(0, 4);
    out.dim(2).set_bounds(0, 3);
    for (int l = 1; l < levels; l++) {
        // Large levels in strips; small ones are not worth a thread.
        if (l < 4) {
            small[l].compute_root().split(y, yo, yi, 8).parallel(yo).vectorize(x, lanes);
            if (plan != 3) { // half of 1
                half[l].compute_at(small[l], tiled ? yo : yi).vectorize(x, lanes);
            }
        } else {
            half[l].compute_root().vectorize(x, 4);
            small[l].compute_root().vectorize(x, 4);
        }
    }
    for (int l = 1; l < levels - 1; l++) {
        filled[l].compute_root();
        if (l < 5 && plan != 3) {
            filled[l].parallel(y).vectorize(x, lanes);
        }
    }
    out.bound(c, 0, 3).reorder(c, x, y).unroll(c);
    if (plan == 3) {
        return;
    }
    if (tiled) {
        out.tile(x, y, xi, yi, 64, 16).parallel(y).vectorize(xi, lanes);
        filled[0].compute_at(out, x).vectorize(x, lanes);
    } else {
        out.split(y, yo, yi, 16).parallel(yo).vectorize(x, lanes);
    }
}

} // namespace

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)
