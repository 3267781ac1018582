// A raw frame of 10 bits (green red / blue green) becomes three planes of 8 bits: hot pixels, the two missing colours of
// each pixel, the camera's colours, the curve of brightness, and a sharper picture. The output begins at (16, 12) of the
// frame and is 32 by 24 smaller at least.
#include "Halide.h"
#include <stdint.h>

namespace {

using namespace Halide;
using namespace Halide::ConciseCasts;

Var x("x"), y("y"), c("c"), xi("xi"), yi("yi"), yo("yo");

Expr mean(Expr a, Expr b) {
    return rounding_halving_add(a, b);
}

Expr mean_121(Expr a, Expr b, Expr c) {
    return mean(mean(a, c), b);
}

Func columns_of(Func even, Func odd) {
    Func f;
    f(x, y) = select(x % 2 == 0, even(x / 2, y), odd(x / 2, y));
    return f;
}

Func rows_of(Func even, Func odd) {
    Func f;
    f(x, y) = select(y % 2 == 0, even(x, y / 2), odd(x, y / 2));
    return f;
}

// The frame in full size from its four quarters.
Func woven(Func f00, Func f10, Func f01, Func f11) {
    return rows_of(columns_of(f00, f10), columns_of(f01, f11));
}

// What differs, and what is between: where there are two such pairs, the one that differs less is believed.
struct Guess {
    Expr change, value;
};

Expr better(const Guess &a, const Guess &b) {
    return select(a.change < b.change, a.value, b.value);
}

// Where each of the four kinds of pixels has its colour: quarters of the frame.
class Demosaic {
public:
    Func red, green, blue;
    std::vector<Func> at_quarter;

    explicit Demosaic(Func raw) : gr("gr"), rr("rr"), bb("bb"), gb("gb") {
        gr(x, y) = raw(2 * x, 2 * y);
        rr(x, y) = raw(2 * x + 1, 2 * y);
        bb(x, y) = raw(2 * x, 2 * y + 1);
        gb(x, y) = raw(2 * x + 1, 2 * y + 1);

        // Green at red and at blue.
        Func green_r("green_r"), green_b("green_b");
        green_r(x, y) = better(between(gr, 0, 0, 1, 0), between(gb, 0, 0, 0, -1));
        green_b(x, y) = better(between(gb, 0, 0, -1, 0), between(gr, 0, 0, 0, 1));

        // Red and blue at green, and at each other: of the neighbours, by what green differs from theirs.
        Func red_gr("red_gr"), blue_gr("blue_gr"), red_gb("red_gb"), blue_gb("blue_gb"), red_b("red_b"),
            blue_r("blue_r");
        red_gr(x, y) = gr(x, y) + offset(rr, green_r, 0, 0, -1, 0);
        blue_gr(x, y) = gr(x, y) + offset(bb, green_b, 0, 0, 0, -1);
        red_gb(x, y) = gb(x, y) + offset(rr, green_r, 0, 0, 0, 1);
        blue_gb(x, y) = gb(x, y) + offset(bb, green_b, 0, 0, 1, 0);
        red_b(x, y) = green_b(x, y) + better(diagonal(rr, green_r, 0, 0, -1, 1), diagonal(rr, green_r, -1, 0, 0, 1));
        blue_r(x, y) = green_r(x, y) + better(diagonal(bb, green_b, 0, 0, 1, -1), diagonal(bb, green_b, 1, 0, 0, -1));

        red = woven(red_gr, rr, red_b, red_gb);
        green = woven(gr, green_r, green_b, gb);
        blue = woven(blue_gr, blue_r, bb, blue_gb);
        at_quarter = {green_r, green_b, red_gr, blue_gr, red_gb, blue_gb, red_b, blue_r};
    }

private:
    static Guess between(Func f, int ax, int ay, int bx, int by) {
        Expr a = f(x + ax, y + ay), b = f(x + bx, y + by);
        return {absd(a, b), mean(a, b)};
    }

    static Expr offset(Func colour, Func green, int ax, int ay, int bx, int by) {
        return between(colour, ax, ay, bx, by).value - between(green, ax, ay, bx, by).value;
    }

    static Guess diagonal(Func colour, Func green, int ax, int ay, int bx, int by) {
        return {between(colour, ax, ay, bx, by).change, offset(colour, green, ax, ay, bx, by)};
    }

    Func gr, rr, bb, gb;
};

} // namespace

class CameraPipe : public Halide::Generator<CameraPipe> {
public:
    GeneratorParam<int> plan{"schedule", 1, 0, 3};
    Input<Buffer<uint16_t, 2>> in{"in"};
    Input<Buffer<float, 2>> m3200{"m3200"}; // a row for each colour: three factors and an offset
    Input<Buffer<float, 2>> m7000{"m7000"};
    Input<float> color_temp{"color_temp"};
    Input<float> gamma{"gamma"};
    Input<float> contrast{"contrast"};
    Input<float> strength{"strength"};
    Input<int> black{"black"};
    Input<int> white{"white"};
    Output<Buffer<uint8_t, 3>> processed{"processed"};

    void generate() {
        Func shifted("shifted");
        shifted(x, y) = cast<int16_t>(in(x + 16, y + 12));
        denoised = without_hot_pixels(shifted);
        Demosaic colours(denoised);
        quarters = colours.at_quarter;
        corrected = in_srgb(colours.red, colours.green, colours.blue);
        curve = make_curve();
        curved(x, y, c) = curve(clamp(corrected(x, y, c), 0, 1023));
        sharpen();
    }

    void schedule();

private:
    Func denoised, corrected, curve, curved{"curved"}, matrix{"matrix"}, smooth_y{"smooth_y"}, smooth{"smooth"};
    std::vector<Func> quarters;

    Func without_hot_pixels(Func f) {
        Func g("denoised");
        Expr most = max(f(x - 2, y), f(x + 2, y), f(x, y - 2), f(x, y + 2));
        g(x, y) = clamp(f(x, y), 0, most);
        return g;
    }

    Func in_srgb(Func red, Func green, Func blue) {
        Var i("i"), j("j");
        Expr alpha = (1.0f / color_temp - 1.0f / 3200) / (1.0f / 7000 - 1.0f / 3200);
        Expr mixed = m3200(i, j) * alpha + m7000(i, j) * (1 - alpha);
        matrix(i, j) = i16(mixed * 256.0f);

        Func f("corrected");
        Expr sum = i32(matrix(3, c));
        sum += matrix(0, c) * i32(red(x, y));
        sum += matrix(1, c) * i32(green(x, y));
        sum += matrix(2, c) * i32(blue(x, y));
        f(x, y, c) = i16(sum / 256);
        return f;
    }

    Func make_curve() {
        Var v("v");
        Func table("curve");
        Expr part = clamp(cast<float>(v - black) / (white - black), 0.0f, 1.0f);
        Expr g = pow(part, 1.0f / gamma);
        Expr b = 2.0f - pow(2.0f, contrast / 100.0f);
        Expr a = 2.0f - 2.0f * b;
        Expr bent = select(g > 0.5f, 1.0f - (a * (1.0f - g) * (1.0f - g) + b * (1.0f - g)), a * g * g + b * g);
        Expr value = u8(clamp(bent * 255.0f + 0.5f, 0.0f, 255.0f));
        table(v) = select(v <= black, u8(0), v > white, u8(255), value);
        return table;
    }

    void sharpen() {
        Expr factor = i16(u8_sat(strength * 32.0f));
        smooth_y(x, y, c) = mean_121(curved(x, y - 1, c), curved(x, y, c), curved(x, y + 1, c));
        smooth(x, y, c) = mean_121(smooth_y(x - 1, y, c), smooth_y(x, y, c), smooth_y(x + 1, y, c));
        Expr detail = i16(curved(x, y, c)) - i16(smooth(x, y, c));
        processed(x, y, c) = u8_sat(curved(x, y, c) + (detail * factor) / 32);
    }
};

void CameraPipe::schedule() {
    in.set_estimates({{0, 2592}, {0, 1968}});
    m3200.set_estimates({{0, 4}, {0, 3}});
    m7000.set_estimates({{0, 4}, {0, 3}});
    color_temp.set_estimate(3700);
    gamma.set_estimate(2.0f);
    contrast.set_estimate(50);
    strength.set_estimate(1.0f);
    black.set_estimate(25);
    white.set_estimate(1023);
    processed.set_estimates({{0, 2560}, {0, 1920}, {0, 3}});
    if (using_autoscheduler() || plan == 0) {
        return;
    }
    const int lanes = natural_vector_size<int16_t>();
    matrix.compute_root();
    curve.compute_root();
    processed.dim(2).set_bounds(0, 3);
    processed.bound(c, 0, 3).reorder(c, x, y);
    if (plan == 1 || plan == 3) { // 3: half of 1
        // Strips, in which rows of each stage are kept for those that read them. Two rows at once: whole quarters.
        processed.align_bounds(x, 2).split(y, yo, yi, 2).split(yo, yo, y, 16).reorder(c, x, yi, y, yo).parallel(yo);
        processed.unroll(c).vectorize(x, 2 * lanes).unroll(yi);
        denoised.store_at(processed, yo).compute_at(processed, y).fold_storage(y, 16).vectorize(x, lanes);
        curved.store_at(processed, yo)
            .compute_at(processed, y)
            .bound(c, 0, 3)
            .reorder(c, x, y)
            .unroll(c)
            .vectorize(x, 2 * lanes)
            .unroll(x, 2, TailStrategy::RoundUp);
        if (plan == 3) {
            return;
        }
        corrected.compute_at(curved, x).reorder(c, x, y).unroll(c).vectorize(x);
        for (Func &f : quarters) {
            f.store_at(processed, yo).compute_at(processed, y).vectorize(x, lanes);
        }
    } else {
        processed.align_bounds(x, 2)
            .align_bounds(y, 2)
            .tile(x, y, xi, yi, 128, 32, TailStrategy::GuardWithIf)
            .reorder(c, xi, yi, x, y)
            .parallel(y)
            .vectorize(xi, lanes)
            .unroll(c);
        denoised.compute_at(processed, x).vectorize(x, lanes);
        curved.compute_at(processed, x).vectorize(x, lanes);
        for (Func &f : quarters) {
            f.compute_at(processed, x).vectorize(x, lanes);
        }
    }
}

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)
