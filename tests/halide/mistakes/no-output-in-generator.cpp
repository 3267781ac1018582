// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a generator without an output
class Nothing : public Generator<Nothing> {
public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  void generate() {}
};
// CHECK: :[[#@LINE+1]]:27: error: the program has no output, an Output<…> or output(f) should say what it computes
HALIDE_REGISTER_GENERATOR(Nothing, nothing)
