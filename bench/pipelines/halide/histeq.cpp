// Histogram equalisation of a picture of three planes of 8 bits: the luminance by its distribution, the colour
// differences as they are.
#include "Halide.h"

using namespace Halide;

class Histeq : public Generator<Histeq> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    Input<Buffer<uint8_t, 3>> in{"in"};
    Output<Buffer<uint8_t, 3>> out{"out"};

    void generate() {
        Expr r = cast<float>(in(x, y, 0)), g = cast<float>(in(x, y, 1)), b = cast<float>(in(x, y, 2));
        Expr luma = 0.299f * r + 0.587f * g + 0.114f * b;
        ycc(x, y) = Tuple(luma, (r - luma) * 0.713f + 128, (b - luma) * 0.564f + 128);

        columns = RDom(0, in.width());
        lines = RDom(0, in.height());
        bins = RDom(1, 255);
        Expr bin = cast<int>(clamp(ycc(columns, y)[0], 0.0f, 255.0f));
        of_line(i, y) = 0;
        of_line(bin, y) += 1;
        total(i) = 0;
        total(i) += of_line(i, lines);
        below(i) = total(0);
        below(bins) = below(bins - 1) + total(bins);

        Expr scale = 255.0f / (in.width() * in.height());
        Expr value = clamp(below(cast<uint8_t>(clamp(ycc(x, y)[0], 0.0f, 255.0f))) * scale, 0.0f, 255.0f);
        Expr red_difference = ycc(x, y)[1] - 128, blue_difference = ycc(x, y)[2] - 128;
        Expr red = value + red_difference * 1.4f;
        Expr green = value - 0.343f * blue_difference - 0.711f * red_difference;
        Expr blue = value + 1.765f * blue_difference;
        out(x, y, c) = cast<uint8_t>(clamp(mux(c, {red, green, blue}), 0.0f, 255.0f));
    }

    void schedule() {
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        if (using_autoscheduler()) {
            return;
        }
        if (plan == 0) {
            below.compute_root(); // one pass, whatever else is decided
            return;
        }
        const int lanes = natural_vector_size<float>();
        out.bound(c, 0, 3);
        below.compute_root();
        total.compute_root().vectorize(i, lanes).update().vectorize(i, lanes);
        if (plan == 1 || plan == 3) { // 3: half of 1
            ycc.compute_root().parallel(y, 8).vectorize(x, lanes);
            if (plan == 3) {
                return;
            }
            of_line.compute_root().parallel(y, 8).vectorize(i, lanes);
            of_line.update().parallel(y, 8);
            out.reorder(c, x, y).unroll(c).parallel(y, 8).vectorize(x, lanes);
        } else {
            // Luminance twice; lines are counted in groups, each group by a thread of its own.
            RVar outer("outer"), inner("inner");
            Func partial = total.update().split(lines, outer, inner, 16).rfactor(outer, u);
            partial.compute_root().vectorize(i, lanes);
            partial.update().parallel(u).vectorize(i, lanes);
            of_line.compute_at(partial, inner).vectorize(i, lanes).update().unscheduled();
            out.tile(x, y, xi, yi, 256, 16).reorder(xi, yi, c, x, y).parallel(y).vectorize(xi, lanes);
            ycc.in(out).compute_at(out, x).vectorize(x, lanes);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, u{"u"}, xi{"xi"}, yi{"yi"};
    RDom columns, lines, bins;
    Func ycc{"ycc"}, of_line{"of_line"}, total{"total"}, below{"below"};
};

HALIDE_REGISTER_GENERATOR(Histeq, histeq)
