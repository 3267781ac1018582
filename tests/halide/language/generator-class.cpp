// RUN: %python %lib/halide_values.py %s
// The class of a generator: parameters of several types, member functions, a member that is a vector, schedule().
// in: in = 6 u8: 10 20 30 40 50 60
// param: offset = 7
// extents: out = 3
// extents: scaled = 4
// expect: out = 3 i32: 1027 1037 1047
// expect: scaled = 4 f32: 30 45 60 75
#include "Halide.h"
using namespace Halide;

enum class Kind { sum,
                  mean };

class Windows : public Halide::Generator<Windows> {
public:
    GeneratorParam<int> radius{"radius", 1, 0, 4};
    GeneratorParam<bool> wide{"wide", true};
    GeneratorParam<float> factor{"factor", 1.5f};
    GeneratorParam<Type> kind_of_sum{"kind_of_sum", Int(32)};
    GeneratorParam<Kind> kind{"kind", Kind::mean, {{"sum", Kind::sum}, {"mean", Kind::mean}}};
    Input<Buffer<uint8_t, 1>> in{"in"};
    Input<int> offset{"offset"};
    Output<Func> out{"out", Int(32), 1};
    Output<Buffer<float, 1>> scaled{"scaled"};

    void generate() {
        for (int i = 0; i <= 2 * radius; i++) {
            parts.push_back(shifted(in, i));
        }
        Expr sum = cast(kind_of_sum, 0);
        for (Func f : parts) {
            sum += f(x);
        }
        if (kind == Kind::mean) {
            sum /= (int)parts.size();
        }
        window(x) = sum;
        out(x) = window(x) + offset + (wide ? 1000 : 0);
        scaled(x) = window(x) * float(factor);
    }

    void schedule() {
        if (!using_autoscheduler()) {
            window.compute_root();
        }
    }

private:
    Var x{"x"};
    Func window{"window"};
    std::vector<Func> parts;

    Func shifted(Func f, int by) {
        Func g("shifted");
        g(x) = f(x + by);
        return g;
    }
};

HALIDE_REGISTER_GENERATOR(Windows, windows)
