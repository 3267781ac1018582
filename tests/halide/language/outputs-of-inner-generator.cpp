// RUN: %python %lib/halide_values.py %s
// The generator that another makes has an array of outputs of the same name, and an output is read outside of itself.
// in: in = 6 i32: 1 2 3 4 5 6
// extents: output_0 = 2
// extents: output_1 = 2
// expect: output_0 = 2 i32: 120 150
// expect: output_1 = 2 i32: 40 60
class Inner : public Generator<Inner> {
public:
    Input<Func> in{"in", Int(32), 1};
    Output<Func[]> output{"output", Int(32), 1};
    Var x{"x"};

    void generate() {
        output.resize(2);
        output[0](x) = in(x) + 1;
        output[1](x) = in(x + 1) * 2;
    }
};

class Outer : public Generator<Outer> {
public:
    Input<Buffer<int>> in{"in", 1};
    Output<Func[]> output{"output", Int(32), 1};
    Var x{"x"};
    std::unique_ptr<Inner> inner;

    void generate() {
        Func f("f"), g("g");
        f(x) = in(x);
        inner = create<Inner>();
        inner->apply(f);
        output.resize(2);
        for (int i = 0; i < 2; i++)
            output[i](x) = inner->output[i](x) * 10;
        g(x) = output[1](x + 3);
        output[0](x) += g(x);
    }
};
HALIDE_REGISTER_GENERATOR(Outer, outer)
