// Local Laplacian filter of three planes of 16 bits: for each of some intensities a remapped gray picture and its
// Laplacian pyramid; the output's pyramid takes at each point what is between the two intensities next to its gray.
#include "Halide.h"

using namespace Halide;

namespace {

Var x("x"), y("y"), k("k"), c("c"), xi("xi"), yi("yi"), yo("yo");

// 1 3 3 1 around every second point, in both directions. What comes after x and y passes through.
Func halved(Func f, Func *along_rows = nullptr) {
    Func rows, both;
    rows(x, y, _) = (f(2 * x - 1, y, _) + 3.0f * (f(2 * x, y, _) + f(2 * x + 1, y, _)) + f(2 * x + 2, y, _)) / 8.0f;
    both(x, y, _) =
        (rows(x, 2 * y - 1, _) + 3.0f * (rows(x, 2 * y, _) + rows(x, 2 * y + 1, _)) + rows(x, 2 * y + 2, _)) / 8.0f;
    if (along_rows != nullptr) {
        *along_rows = rows;
    }
    return both;
}

// Linear between the points of f, which are a quarter off.
Func doubled(Func f) {
    Func rows, both;
    const Expr near_x = x / 2, far_x = x / 2 - 1 + 2 * (x % 2);
    const Expr near_y = y / 2, far_y = y / 2 - 1 + 2 * (y % 2);
    rows(x, y, _) = lerp(f(far_x, y, _), f(near_x, y, _), 0.75f);
    both(x, y, _) = lerp(rows(x, far_y, _), rows(x, near_y, _), 0.75f);
    return both;
}

} // namespace

class LocalLaplacian : public Generator<LocalLaplacian> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<int> sizes{"sizes", 8, 2, 10};
    Input<Buffer<uint16_t, 3>> in{"in"};
    Input<int> intensities{"intensities"};
    Input<float> alpha{"alpha"};
    Input<float> beta{"beta"};
    Output<Buffer<uint16_t, 3>> out{"out"};

    void generate() {
        const int last = sizes - 1;
        Func padded = BoundaryConditions::repeat_edge(in);
        unit(x, y, c) = padded(x, y, c) / 65535.0f;
        gray(x, y) = 0.299f * unit(x, y, 0) + 0.587f * unit(x, y, 1) + 0.114f * unit(x, y, 2);

        // How much is added to a gray that differs by r / 256 of the step between two intensities.
        Var r("r");
        Expr t = cast<float>(r) / 256.0f;
        remap(r) = alpha * t * exp(-t * t / 2.0f);

        Expr steps = cast<float>(intensities - 1);
        Expr centre = cast<float>(k) * (1.0f / steps);
        Expr index = clamp(cast<int>(gray(x, y) * steps * 256.0f), 0, (intensities - 1) * 256);
        grays.push_back(gray);
        bent.push_back(Func("bent"));
        bent[0](x, y, k) = beta * (gray(x, y) - centre) + centre + remap(index - 256 * k);
        rows.emplace_back();
        for (int l = 1; l <= last; l++) {
            Func along;
            grays.push_back(halved(grays[l - 1]));
            bent.push_back(halved(bent[l - 1], &along));
            rows.push_back(along);
        }

        result.resize(sizes);
        for (int l = last; l >= 0; l--) {
            Func detail("detail_" + std::to_string(l));
            if (l == last) {
                detail = bent[l];
            } else {
                detail(x, y, k) = bent[l](x, y, k) - doubled(bent[l + 1])(x, y, k);
            }
            Expr place = grays[l](x, y) * steps;
            Expr low = clamp(cast<int>(place), 0, intensities - 2);
            Expr part = place - low;
            Expr chosen = (1.0f - part) * detail(x, y, low) + part * detail(x, y, low + 1);
            result[l] = Func("result_" + std::to_string(l));
            result[l](x, y) = l == last ? chosen : doubled(result[l + 1])(x, y) + chosen;
        }

        // The colours keep their ratio to gray.
        const float least = 0.01f;
        Expr value = in(x, y, c) * (result[0](x, y) + least) / (gray(x, y) + least);
        out(x, y, c) = cast<uint16_t>(clamp(value, 0.0f, 65535.0f));
    }

    void schedule() {
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        intensities.set_estimate(8);
        alpha.set_estimate(1.0f / 7);
        beta.set_estimate(1.0f);
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        if (using_autoscheduler() || plan == 0) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        remap.compute_root();
        gray.compute_root().parallel(y, 32).vectorize(x, lanes);
        for (int l = 1; l < sizes; l++) {
            const bool is_large = l < 5 && plan != 3; // 3: half of 1
            grays[l].compute_root();
            bent[l].compute_root().reorder_storage(x, _0, y).reorder(x, _0, y); // _0 is k, passed through
            result[l].compute_root();
            if (is_large) {
                grays[l].parallel(y, 8).vectorize(x, lanes);
                bent[l].parallel(y, 8).vectorize(x, lanes);
                result[l].parallel(y, 8).vectorize(x, lanes);
            }
            if (is_large && plan == 2) {
                rows[l].store_at(bent[l], y).compute_at(bent[l], _0).vectorize(x, lanes);
            }
        }
        out.bound(c, 0, 3).reorder(c, x, y);
        if (plan == 3) {
            return;
        }
        if (plan == 1) {
            result[0].compute_root().parallel(y, 32).vectorize(x, lanes);
            out.parallel(y, 32).vectorize(x, lanes);
        } else {
            out.tile(x, y, xi, yi, 128, 32).parallel(y).vectorize(xi, lanes);
            result[0].compute_at(out, x).vectorize(x, lanes);
        }
    }

private:
    Func unit{"unit"}, gray{"gray"}, remap{"remap"};
    std::vector<Func> grays, bent, rows, result;
};

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)
