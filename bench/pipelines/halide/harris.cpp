// Harris' response of a picture of three planes: det - 0.04 trace^2 of the tensor of the gradients, summed over 3 x 3.
// All that it needs is inside the picture: the input is 4 larger than the output, and output (0, 0) is input (2, 2).
#include "Halide.h"

namespace {

using namespace Halide;

class Harris : public Generator<Harris> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    GeneratorParam<float> kappa{"kappa", 0.04f};
    Input<Buffer<float, 3>> in{"in"};
    Output<Buffer<float, 2>> response{"response"};

    void generate() {
        gray(x, y) = 0.299f * in(x, y, 0) + 0.587f * in(x, y, 1) + 0.114f * in(x, y, 2);

        // The derivative is a difference in one direction of a smoothed line in the other.
        auto smooth_rows = [&](Expr column) { return gray(column, y) + 2 * gray(column, y + 1) + gray(column, y + 2); };
        auto smooth_columns = [&](Expr row) { return gray(x, row) + 2 * gray(x + 1, row) + gray(x + 2, row); };
        dx(x, y) = (smooth_rows(x + 2) - smooth_rows(x)) / 12;
        dy(x, y) = (smooth_columns(y + 2) - smooth_columns(y)) / 12;

        Func xx = box_of(dx, dx, "xx"), yy = box_of(dy, dy, "yy"), xy = box_of(dx, dy, "xy");
        Expr det = xx(x, y) * yy(x, y) - xy(x, y) * xy(x, y);
        Expr trace = xx(x, y) + yy(x, y);
        response(x, y) = det - float(kappa) * trace * trace;
    }

    void schedule() {
        in.set_estimates({{0, 1540}, {0, 2564}, {0, 3}});
        in.dim(2).set_bounds(0, 3);
        response.set_estimates({{0, 1536}, {0, 2560}});
        if (using_autoscheduler() || plan == 0) {
            return;
        }
        const int lanes = natural_vector_size<float>();
        if (plan == 1 || plan == 3) { // 3: half of 1
            response.split(y, y, yi, 32).parallel(y).vectorize(x, lanes);
            gray.store_at(response, y).compute_at(response, yi).vectorize(x, lanes);
            if (plan == 3) {
                return;
            }
            dx.store_at(response, y).compute_at(response, yi).vectorize(x, lanes).compute_with(dy, x);
            dy.store_at(response, y).compute_at(response, yi).vectorize(x, lanes);
        } else {
            response.tile(x, y, xi, yi, 128, 32).parallel(y).vectorize(xi, lanes);
            gray.compute_at(response, x).vectorize(x, lanes);
            dx.compute_at(response, x).vectorize(x, lanes);
            dy.compute_at(response, x).vectorize(x, lanes);
        }
    }

private:
    // The sum of a product over the 3 x 3 elements that begin at (x, y).
    Func box_of(Func a, Func b, const std::string &name) {
        Func product(name + "_product"), total(name);
        product(x, y) = a(x, y) * b(x, y);
        Expr sum = 0.0f;
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                sum += product(x + column, y + row);
            }
        }
        total(x, y) = sum;
        return total;
    }

    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Func gray{"gray"}, dx{"dx"}, dy{"dy"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Harris, harris)
