// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an Input that no call gives
class Local : public Generator<Local> {
public:
  Output<Buffer<int, 2>> out{"out"};
  void generate() {
    Var x("x"), y("y");
    // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: Input in is declared in a function, but should be a member of the generator
    Input<Buffer<int, 2>> in{"in"};
    out(x, y) = in(x, y) + in.dim(1).stride();
  }
};
HALIDE_REGISTER_GENERATOR(Local, local)
