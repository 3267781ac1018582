// Bilateral filter by a grid: pixels are counted and summed in cells of place and value, the grid is blurred, and each
// pixel takes what is between the eight cells around it. Values are clamped to 0..1; borders are replicated.
#include "Halide.h"

using namespace Halide;

class BilateralGrid : public Generator<BilateralGrid> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<int> cell{"cell", 8}; // pixels, in both directions
    Input<float> r_sigma{"r_sigma"};     // of the value
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> filtered{"filtered"};

    void generate() {
        const int s = cell;
        Func padded = BoundaryConditions::repeat_edge(in);

        r = RDom(0, s, 0, s, "r");
        Expr value = clamp(padded(x * s + r.x - s / 2, y * s + r.y - s / 2), 0.0f, 1.0f);
        Expr level = cast<int>(value * (1.0f / r_sigma) + 0.5f);
        grid(x, y, z, c) = 0.0f;
        grid(x, y, level, c) += mux(c, {value, 1.0f});

        blurred_z = blur_in(grid, 2, "blurred_z");
        blurred_x = blur_in(blurred_z, 0, "blurred_x");
        blurred_y = blur_in(blurred_x, 1, "blurred_y");

        Expr depth = clamp(in(x, y), 0.0f, 1.0f) * (1.0f / r_sigma);
        Expr zi = cast<int>(depth), zf = depth - zi;
        Expr xi = x / s, xf = cast<float>(x % s) / s;
        Expr yi = y / s, yf = cast<float>(y % s) / s;
        auto on_plane = [&](Expr k) {
            Expr low = lerp(blurred_y(xi, yi, k, c), blurred_y(xi + 1, yi, k, c), xf);
            Expr high = lerp(blurred_y(xi, yi + 1, k, c), blurred_y(xi + 1, yi + 1, k, c), xf);
            return lerp(low, high, yf);
        };
        sliced(x, y, c) = lerp(on_plane(zi), on_plane(zi + 1), zf);
        filtered(x, y) = sliced(x, y, 0) / sliced(x, y, 1);
    }

    void schedule() {
        r_sigma.set_estimate(0.1f);
        in.set_estimates({{0, 1536}, {0, 2560}});
        filtered.set_estimates({{0, 1536}, {0, 2560}});
        if (using_autoscheduler() || plan == 0) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        if (plan == 1 || plan == 3) { // 3: half of 1
            // The cells of a line of the grid are counted where the blur along values needs them.
            blurred_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, lanes).unroll(c);
            grid.compute_at(blurred_z, x).reorder(c, z, x, y).vectorize(x, lanes).unroll(c);
            grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
            if (plan == 3) {
                return;
            }
            blurred_x.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, lanes).unroll(c);
            blurred_y.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, lanes).unroll(c);
            filtered.split(y, y, t, 8).parallel(y).vectorize(x, lanes);
        } else {
            grid.compute_root().parallel(z);
            grid.update().reorder(c, r.x, r.y, x, y).parallel(y).unroll(c);
            blurred_z.compute_root().parallel(z).vectorize(x, lanes);
            blurred_y.compute_root().tile(x, y, t, u, lanes, 8).parallel(z).vectorize(t);
            blurred_x.compute_at(blurred_y, x).vectorize(x, lanes);
            filtered.tile(x, y, t, u, 64, 16).parallel(y).vectorize(t, lanes);
        }
    }

private:
    // 1 4 6 4 1 along a dimension, not normalized.
    Func blur_in(Func f, int dimension, std::string name) {
        auto at = [&](int offset) {
            std::vector<Expr> place{x, y, z, c};
            place[dimension] += offset;
            return f(place);
        };
        Func blurred(name);
        blurred(x, y, z, c) = at(-2) + at(-1) * 4 + at(0) * 6 + at(1) * 4 + at(2);
        return blurred;
    }

    Var x{"x"}, y{"y"}, z{"z"}, c{"c"}, t{"t"}, u{"u"};
    RDom r;
    Func grid{"grid"}, blurred_z, blurred_x, blurred_y, sliced{"sliced"};
};

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)
