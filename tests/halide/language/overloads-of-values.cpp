// RUN: %python %lib/halide_values.py %s
// Functions and constructors that are told apart by Halide's types: a call of a Func, a Tuple, an Expr, a Func, a Var.
// in: in = 4 i32: 1 2 3 4
// extents: out = 3
// extents: kinds = 5
// expect: out = 3 i32: 36008 56010 76012
// expect: kinds = 5 i32: 1 2 3 4 5
#include "Halide.h"
using namespace Halide;

struct Pair {
    Expr a, b;
    Pair(Tuple t) : a(t[0]), b(t[1]) {
    }
    Pair(FuncRef r) : Pair(Tuple(r)) {
    }
    Pair(Expr a, Expr b) : a(a), b(b) {
    }
    operator Tuple() const {
        return {a, b};
    }
    Pair operator+(const Pair &other) const {
        return {a + other.a, b + other.b};
    }
};

int kind(Func f) {
    return 1;
}
int kind(Var v) {
    return 2;
}
int kind(Expr e) {
    return 3;
}
int kind(RDom r) {
    return 4;
}
int kind(Type t) {
    return 5;
}

class Overloads : public Halide::Generator<Overloads> {
public:
    Input<Buffer<int, 1>> in{"in"};
    Output<Buffer<int, 1>> out{"out"};
    Output<Buffer<int, 1>> kinds{"kinds"};

    void generate() {
        Var x("x"), i("i");
        Func pairs("pairs"), sums("sums");
        pairs(x) = {in(x), in(x) * 10};
        sums(x) = Pair(pairs(x)) + Pair(pairs(x + 1)) + Pair(5, 6);
        Pair last = sums(x);
        out(x) = last.a + last.b * 1000;
        RDom r(0, 2);
        Buffer<int> b(5);
        b(0) = kind(pairs);
        b(1) = kind(x);
        b(2) = kind(in(x) + 1);
        b(3) = kind(r);
        b(4) = kind(UInt(8));
        kinds(i) = b(i);
    }
};
HALIDE_REGISTER_GENERATOR(Overloads, overloads)
