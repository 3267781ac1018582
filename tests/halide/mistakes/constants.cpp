// mistake: values of GeneratorParams and ranges of scalars that are none
// RUN: exits-with 1 pm-translate %s --to=pmir --const=n=abc --const=u=300 --const=b=maybe --const=t=int7 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: exits-with 1 pm-translate %s --to=pmir --const=m=1 --range=in=0:1 --range=q=0:1 2>&1 | FileCheck %s --check-prefix=NAMES --implicit-check-not=error:
// RUN: exits-with 1 pm-translate %s --to=pmir --generator=other 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=error:
// NAMES: constants.cpp: error: --const m: the program has no GeneratorParam of that name
// NAMES: constants.cpp: error: --range in: the program has no scalar input of that name
// NAMES: constants.cpp: error: --range q: the program has no scalar input of that name
// NONE: constants.cpp: error: --generator other: no generator of the program is named so
class Shifted : public Generator<Shifted> {
public:
    // CHECK: :[[#@LINE+1]]:25: error: --const n=abc: a number should be given
    GeneratorParam<int> n{"n", 3};
    // CHECK: :[[#@LINE+1]]:29: error: --const u=300: a number of its type should be given
    GeneratorParam<uint8_t> u{"u", 3};
    // CHECK: :[[#@LINE+1]]:26: error: --const b=maybe: true or false should be given
    GeneratorParam<bool> b{"b", true};
    // CHECK: :[[#@LINE+1]]:26: error: --const t=int7: a type, as uint8, should be given
    GeneratorParam<Type> t{"t", UInt(8)};
    Input<Buffer<uint8_t, 2>> in{"in"};
    Input<int> p{"p"};
    Output<Buffer<uint8_t, 2>> out{"out"};
    Var x{"x"}, y{"y"};
    void generate() { out(x, y) = in(x + n, y); }
};
HALIDE_REGISTER_GENERATOR(Shifted, shifted)
