// RUN: %python %lib/halide_values.py %s
// Outside of all loops, a constant exterior of a Tuple, what is asked of constants and of calls.
// in: in = 6 i32: 1 4 9 16 25 36
// extents: out = 4
// extents: asked = 4
// expect: out = 4 i32: -34 310 494 -66
// expect: asked = 4 i32: 2101011 2101011 2101011 2101011
class Outermost : public Generator<Outermost> {
public:
    Input<Buffer<int, 1>> in{"in"};
    Output<Buffer<int, 1>> out{"out"};
    Output<Buffer<int, 1>> asked{"asked"};

    void generate() {
        Var x("x");
        Func f("f"), pair("pair"), sum("sum");
        asked(x) = cast<int>(Internal::is_const_one(1)) + cast<int>(Internal::is_const_one(cast<float>(1))) * 10 +
                   cast<int>(Internal::is_const_one(x)) * 100 + cast<int>(Internal::is_const_zero(Expr(0.0f))) * 1000 +
                   cast<int>(Internal::is_const_zero(Expr(2))) * 10000 + cast<int>(Internal::is_const(Expr(2))) * 100000 +
                   cast<int>(f(x).function().has_pure_definition()) * 1000000;
        f(x) = in(x) + in(x + 1);
        pair(x) = Tuple(f(x), cast<float>(f(x)) / 2);
        Func inside = BoundaryConditions::constant_exterior(pair, Tuple(-7, 0.5f), Expr(1), Expr(2));
        sum(x) = inside(x)[0] + cast<int>(inside(x)[1] * 2);
        out(x) = sum(x) * 10 + sum(x + 1);
        asked(x) += cast<int>(f(x).function().has_pure_definition()) * 2000000;
        sum.compute_at(out, Var::outermost());
        f.compute_at(sum, Var::outermost());
    }
};
HALIDE_REGISTER_GENERATOR(Outermost, outermost)
