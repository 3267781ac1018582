// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an input whose type nobody says (Halide: unspecified Type)
class Open : public Generator<Open> {
public:
  // CHECK: :[[#@LINE+1]]:26: error: the type of in is not known, <Buffer<uint8_t, 2>> says it, or --const in.type=uint8 and in.dim=2
  Input<Buffer<void, 2>> in{"in"};
  Output<Buffer<void, 2>> out{"out"};
  void generate() {
    Var x("x"), y("y");
    out(x, y) = in(x, y);
  }
};
