// RUN: %python %lib/halide_values.py %s
// tuple_select, which select is now; estimate, which set_estimate is now; get_auto_schedule() and auto_schedule.
// in: in = 4 i32: 5 -6 7 -8
// extents: pair = 4
// expect: pair.0 = 4 i32: 5 0 7 0
// expect: pair.1 = 4 i32: 1 -6 1 -8
class Words : public Generator<Words> {
public:
    Input<Buffer<int, 1>> in{"in"};
    Output<Func> pair{"pair", {Int(32), Int(32)}, 1};
    Var x{"x"};

    void generate() {
        pair(x) = tuple_select(in(x) > 0, Tuple(in(x), 1), Tuple(0, in(x)));
        pair.estimate(x, 0, 100);
        if (auto_schedule || get_auto_schedule()) {
            pair(x) = Tuple(0, 0);
        }
    }
};
HALIDE_REGISTER_GENERATOR(Words, words)
