// A generator in another, whose Funcs are computed where the outer one says afterwards.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: poly.demand {how = "together", stages = [@out, @middle, @twice], tile = [8 : index, 0 : index], inner = [1 : index]}
// RUN: %python %lib/ramp.py 33 21 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
// RUN: %python %lib/ramp.py 3 2 %t.npy && pm-run %s --in in=%t.npy --check --threads=2
#include "Halide.h"
using namespace Halide;

class Doubler : public Generator<Doubler> {
public:
    GeneratorParam<LoopLevel> where{"where", LoopLevel::inlined()};
    GeneratorParam<LoopLevel> kept{"kept", LoopLevel::inlined()};
    Input<Func> source{"source", UInt(16), 2};
    Output<Func> doubled{"doubled", UInt(16), 2};
    void generate() {
        twice(x, y) = source(x, y) * 2;
        doubled(x, y) = twice(x, y) + twice(x, y + 1);
    }
    void schedule() { twice.compute_at(where).store_at(kept); }

private:
    Var x{"x"}, y{"y"};
    Func twice{"twice"};
};

class Outer : public Generator<Outer> {
public:
    Input<Buffer<uint16_t, 2>> in{"in"};
    Output<Buffer<uint16_t, 2>> out{"out"};
    void generate() {
        Var x("x"), y("y"), yo("yo"), yi("yi");
        Func middle("middle");
        middle(x, y) = in(x, y) / 3;
        auto doubler = create<Doubler>();
        doubler->apply(middle);
        Func result = doubler->doubled;
        out(x, y) = result(x, y) + result(x + 1, y);
        out.split(y, yo, yi, 8).parallel(yo);
        middle.store_at(out, yo).compute_at(out, yi);
        doubler->where.set({out, yi});
        doubler->kept.set({out, yo});
    }
};

HALIDE_REGISTER_GENERATOR(Doubler, doubler)
HALIDE_REGISTER_GENERATOR(Outer, outer)
