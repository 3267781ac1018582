// A recursive filter of first order: each column from the top to the bottom and back, the picture transposed, and once
// more, so that it is blurred in both directions and turned back.
#include "Halide.h"

using namespace Halide;

namespace {

struct Columns {
    Func filtered, turned;
    RVar down, up;
};

} // namespace

class IirBlur : public Generator<IirBlur> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    Input<Buffer<float, 3>> in{"in"};
    Input<float> alpha{"alpha", 0.1f, 0.0f, 1.0f};
    Output<Buffer<float, 3>> blurred{"blurred"};

    void generate() {
        Expr width = in.width(), height = in.height();
        first = columns(in, height, "first");
        second = columns(first.turned, width, "second");
        blurred(x, y, c) = second.turned(x, y, c);
    }

    void schedule() {
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        alpha.set_estimate(0.1f);
        blurred.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        if (using_autoscheduler()) {
            return;
        }
        if (plan == 0) {
            first.filtered.compute_root();
            second.filtered.compute_root();
            return;
        }
        const int n = natural_vector_size<float>();
        for (Columns *pass : {&first, &second}) {
            Func f = pass->filtered;
            if (plan == 3 && pass == &second) { // half of 1
                f.compute_root();
            } else if (plan == 1 || plan == 3) {
                f.compute_root().parallel(c).vectorize(x, n);
                f.update(0).parallel(c).vectorize(x, n);
                f.update(1).reorder(x, pass->down, c).parallel(c).vectorize(x, n);
                f.update(2).reorder(x, pass->up, c).parallel(c).vectorize(x, n);
            } else {
                // A strip of columns is filtered just before it is turned.
                Func t = pass->turned;
                t.compute_root().split(y, yo, yi, n).reorder(yi, x, yo, c).parallel(yo).vectorize(yi);
                f.compute_at(t, yo).vectorize(x, n);
                f.update(0).vectorize(x, n);
                f.update(1).reorder(x, pass->down).vectorize(x, n);
                f.update(2).reorder(x, pass->up).vectorize(x, n);
            }
        }
        blurred.parallel(c).vectorize(x, n);
    }

private:
    Columns columns(Func f, Expr height, const std::string &name) {
        RDom down(1, height - 1, name + "_down"), up(0, height - 1, name + "_up");
        Columns pass{Func(name), Func(name + "_turned"), down, up};
        Func &g = pass.filtered;
        g(x, y, c) = undef<float>();
        g(x, 0, c) = f(x, 0, c);
        g(x, down, c) = (1 - alpha) * g(x, down - 1, c) + alpha * f(x, down, c);
        Expr last = height - 1 - up; // from the bottom up
        g(x, last - 1, c) = (1 - alpha) * g(x, last, c) + alpha * g(x, last - 1, c);
        pass.turned(x, y, c) = g(y, x, c);
        return pass;
    }

    Var x{"x"}, y{"y"}, c{"c"}, yo{"yo"}, yi{"yi"};
    Columns first, second;
};

HALIDE_REGISTER_GENERATOR(IirBlur, iir_blur)
