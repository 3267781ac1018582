// RUN: %python %lib/halide_values.py %s
// Inputs, GeneratorParams and Outputs of stubs. Stubs are in headers that Halide makes; values are made by hand.
// in: in = 4 i32: 1 2 3 4
// extents: out = 3
// extents: plain = 3
// expect: out = 3 i32: 2983 4973 6963
// expect: plain = 3 i32: 309 511 713
class Scaled : public Generator<Scaled> {
public:
    GeneratorParam<int> factor{"factor", 2};
    GeneratorParam<bool> negated{"negated", false};
    Input<Func> source{"source", Int(32), 1};
    Input<Func[]> more{"more", Int(32), 1};
    Input<int> offset{"offset"};
    Output<Func> scaled{"scaled", Int(32), 1};
    Output<Func> sums{"sums", Int(32), 1};
    Var x{"x"};

    void generate() {
        Expr e = source(x) * factor + offset;
        scaled(x) = negated ? -e : e;
        Expr sum = 0;
        for (size_t i = 0; i < more.size(); i++) sum += more[i](x);
        sums(x) = sum;
    }
};
HALIDE_REGISTER_GENERATOR(Scaled, scaled, Lib::Deep::ScaledStub)

class Once : public Generator<Once> {
public:
    Input<Func> f{"f", Int(32), 1};
    Output<Func> result{"result", Int(32), 1};
    Var x{"x"};
    void generate() { result(x) = f(x + 1); }
};
HALIDE_REGISTER_GENERATOR(Once, once)

using Lib::Deep::ScaledStub;

class User : public Generator<User> {
public:
    Input<Buffer<int, 1>> in{"in"};
    Output<Buffer<int, 1>> out{"out"};
    Output<Buffer<int, 1>> plain{"plain"};
    Var x{"x"};

    void generate() {
        ScaledStub::Inputs inputs;
        inputs.source = in;
        inputs.more = {in, once::generate(context(), {in}).result};
        inputs.offset = 7;
        ScaledStub::GeneratorParams params;
        params.factor = 10;
        params.negated = true;
        ScaledStub::Outputs given = ScaledStub::generate(context(), inputs, params);
        ScaledStub::Outputs usual = ScaledStub::generate(context(), inputs);
        out(x) = given.scaled(x) + 1000 * given.sums(x);
        ScaledStub::Inputs listed{in, {in}, 1};
        plain(x) = usual.scaled(x) + 100 * Lib::Deep::ScaledStub::generate(context(), listed, {}).scaled(x);
    }
};
HALIDE_REGISTER_GENERATOR(User, user)
