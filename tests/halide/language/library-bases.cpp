// RUN: %python %lib/halide_values.py %s
// Classes that derive from classes of the library: ports with names and methods of their own, a Func that counts its
// definitions, an Expr, a Tuple.
// in: in = 4 i32: 1 4 9 16
// in: weight = 2x2 i32: 1 2 3 4
// in: bias = 4 i32: 10 20 30 40
// param: scale = 3
// extents: out = 3
// extents: other = 2
// extents: updated_bias = 4
// expect: updated_bias = 4 i32: 20 40 60 80
// expect: out = 3 i32: 27112105 27127125 27148154
// expect: other = 2 i32: 12010233 12020248
class Named {
public:
    std::string label;
    Named(const std::string &name) : label(name) {}
};

template<int D>
class Weight : public GeneratorInput<Buffer<int>>, public Named {
    int reads = 0;
public:
    Weight(const std::string &name) : GeneratorInput<Buffer<int>>(name, D), Named(name) {}
    int rank() const { return dimensions() * 10 + this->dimensions(); }
    void set_shape(int s) {
        for (int i = 0; i < D; i++) dim(i).set_bounds(0, s);
    }
    Expr read(Expr i) {
        reads++;
        std::vector<Expr> args(D, i);
        return (*this)(args);
    }
    Expr width() { return GeneratorInput<Buffer<int>>::dim(0).extent(); }
    int count() const { return reads; }
};

struct Bias : public Weight<1> {
    GeneratorOutput<Buffer<int>> updated;
    Bias() : Weight<1>("bias"), updated("updated_" + label, 1) {}
    void update(Var v) { updated(v) = read(v) * 2; }
};

class Counted : public Func {
    int n = 0;
public:
    Counted() : Func("counted") {}
    explicit Counted(Func f) : Func(f) {}
    void set(Var v, Expr e) {
        n++;
        Func::operator()(v) = e;
        compute_root();
    }
    int defined() const { return Func::defined() ? n : -1; }
};

class Doubled : public Expr {
public:
    Doubled(Expr e) : Expr(e * 2) {}
    Doubled half() const { return Doubled(*this / 4); }
};

struct Complex : public Tuple {
    Complex(Expr re, Expr im) : Tuple(re, im) {}
    Complex(Tuple t) : Tuple(t) {}
    Expr re() const { return (*this)[0]; }
    Expr im() const { return (*this)[1]; }
};
Complex operator*(const Complex &a, const Complex &b) {
    return Complex(a.re() * b.re() - a.im() * b.im(), a.re() * b.im() + a.im() * b.re());
}

int kind_of(const Func &) { return 1; }
int kind_of(const Counted &) { return 2; }
int kind_of(const Expr &) { return 3; }
Expr at(Func f, Expr i) { return f(i); }
void add_to(Func &f, Var v) { f(v) += 100; }
template<typename T>
int width_of(const GeneratorInput<T> &port) { return port.dimensions(); }

class Derived : public Generator<Derived> {
public:
    Input<Buffer<int, 1>> in{"in"};
    Weight<2> weight{"weight"};
    Bias bias;
    Input<int> scale{"scale"};
    Output<Buffer<int, 1>> out{"out"};
    Output<Buffer<int, 1>> other{"other"};

    void generate() {
        Var x("x");
        weight.set_shape(2);
        Counted f;
        int before = f.defined();
        f.set(x, in(x) * scale);
        add_to(f, x);
        Counted g(f);
        Func plain = f;
        Doubled twice(in(x));
        Complex c = Complex(x, 1) * Complex(Tuple(2, x));
        std::vector<Counted> all = {f};
        all.push_back(g);
        out(x) = f(x) + at(f, x + 1) * 1000 + all[1](x) - plain(x) + twice + twice.half() + cast<int>(twice > 3) +
                 (before + f.defined() + weight.rank() + kind_of(f) + kind_of(twice)) * 1000000;
        Expr diagonal = weight.read(x);
        other(x) = diagonal + weight(x, 1) * 10 + weight.width() * 100 + bias(x) * 1000 + c.re() + c.im() +
                   width_of(weight) * 1000000 + weight.count() * 10000000;
        bias.update(x);
    }
};
HALIDE_REGISTER_GENERATOR(Derived, derived)
