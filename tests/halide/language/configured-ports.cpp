// RUN: %python %lib/halide_values.py %s
// Ports that configure() adds come after those that are declared, in their order.
// in: in = 3 i32: 1 2 3
// in: extra_0 = 3 u8: 10 20 30
// in: extra_1 = 3 u8: 40 50 60
// in: typed = 3 f32: 0.5 1.5 2.5
// param: offset = 7
// param: narrow = 3
// extents: out = 3
// extents: added = 3
// extents: pair = 2
// expect: out = 3 i32: 61 82 103
// expect: added = 3 f32: 1 3 5
// expect: pair.0 = 2 i32: 1 2
// expect: pair.1 = 2 u8: 20 30
class Configured : public Generator<Configured> {
public:
    GeneratorParam<int> count{"count", 2};
    Input<Buffer<int, 1>> in{"in"};
    Output<Buffer<int, 1>> out{"out"};

    void configure() {
        for (int i = 0; i < count; i++) {
            extras.push_back(add_input<Buffer<uint8_t, 1>>("extra_" + std::to_string(i)));
        }
        typed = add_input<Func>("typed", Float(32), 1);
        offset = add_input<int>("offset");
        narrow = add_input<Expr>("narrow", Int(8));
        added = add_output<Buffer<float, 1>>("added");
        pair = add_output<Func>("pair", {Int(32), UInt(8)}, 1);
    }

    void generate() {
        Expr sum = in(x) + *offset;
        for (Input<Buffer<uint8_t, 1>> *one : extras) {
            sum += (*one)(x);
        }
        out(x) = sum + *narrow;
        (*added)(x) = (*typed)(x) * 2;
        (*pair)(x) = Tuple(in(x), (*extras[0])(x + 1));
    }

    void schedule() {
        added->compute_root();
    }

private:
    Var x{"x"};
    std::vector<Input<Buffer<uint8_t, 1>> *> extras;
    Input<Func> *typed;
    Input<int> *offset;
    Input<Expr> *narrow;
    Output<Buffer<float, 1>> *added;
    Output<Func> *pair;
};
HALIDE_REGISTER_GENERATOR(Configured, configured)
