// RUN: %python %lib/halide_values.py %s
// build() of a Pipeline: each of its Funcs is an output. A template's instance is registered under another name.
// in: in = 3 u8: 100 200 250
// extents: sum = 3
// extents: least = 3
// expect: sum = 3 u16: 200 400 500
// expect: least = 3 u8: 100 200 240
template<typename T, typename U>
class Both : public Generator<Both<T, U>> {
    ImageParam in{type_of<T>(), 1, "in"};
    Var x{"x"};

public:
    Pipeline build() {
        Func sum("sum"), least("least");
        sum(x) = cast<U>(in(x)) + cast<U>(in(x));
        least(x) = min(in(x), 240);
        in.set_bounds(0, 0, 3);
        return Pipeline({sum, least});
    }
};
using Both_u8 = Both<uint8_t, uint16_t>;
HALIDE_REGISTER_GENERATOR(Both_u8, both_u8)
