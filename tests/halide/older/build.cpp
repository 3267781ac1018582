// RUN: %python %lib/halide_values.py %s
// A generator of 2016: ImageParam, Param, build(), and a Func whose name the output has.
// in: in = 3x2 i32: 1 2 3 / 4 5 6
// param: k = 10
// extents: out = 3 2
// expect: out = 3x2 i32: 11 12 13 / 14 15 16
class G : public Generator<G> {
public:
    ImageParam in{Int(32), 2, "in"};
    Param<int> k{"k", 3};
    Var x{"x"}, y{"y"};

    Func build() {
        Func out("out");
        out(x, y) = in(x, y) + k;
        if (!auto_schedule) {
            out.vectorize(x, 8);
        }
        return out;
    }
};
HALIDE_REGISTER_GENERATOR(G, g)
