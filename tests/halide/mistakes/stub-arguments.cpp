// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a stub with too many inputs, and with none
class Twice : public Generator<Twice> {
public:
  Input<Func> in{"in", Int(32), 1};
  Output<Func> out{"out", Int(32), 1};
  Var x{"x"};
  void generate() { out(x) = in(x) * 2; }
};
HALIDE_REGISTER_GENERATOR(Twice, twice)
class Four : public Generator<Four> {
public:
  Input<Buffer<int, 1>> in{"in"};
  Output<Buffer<int, 1>> out{"out"};
  Var x{"x"};
  void generate() {
    Func once = twice::generate(this, {in});
    // CHECK: :[[#@LINE+1]]:17: error: the generator has 1 inputs, 2 are given
    Func more = twice::generate(this, {once, once});
    // CHECK: :[[#@LINE+1]]:17: error: twice::generate takes the generator that calls it and the inputs in {}
    Func none = twice::generate(this);
    twice::Inputs empty;
    // CHECK: :[[#@LINE+1]]:44: error: the input in is not given
    Func open = twice::generate(context(), empty);
    twice::GeneratorParams params;
    empty.in = once;
    // CHECK: :[[#@LINE+1]]:52: error: this is a Func, GeneratorParams of the stub should be here
    Func wrong = twice::generate(context(), empty, once);
    // CHECK: :[[#@LINE+1]]:20: error: the type 'thrice::Inputs' is not known here
    thrice::Inputs unknown;
    out(x) = once(x);
  }
};
HALIDE_REGISTER_GENERATOR(Four, four)
