// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an enumerator beyond 64 bits, behind which others are counted on
class Large : public Generator<Large> {
public:
  enum Size { most = 9223372036854775807, more, other };
  Output<Buffer<int, 1>> out{"out"};
  void generate() {
    Var x("x");
    // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}
    out(x) = x + most + other + missing;
  }
};
HALIDE_REGISTER_GENERATOR(Large, large)
