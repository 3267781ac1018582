// RUN: %python %lib/halide_values.py %s
// Enumerators and constants of a class by their names; types of ports that configure() gives.
// in: in = 4 u8: 1 2 3 4
// extents: out = 4
// expect: out = 4 i32: 11 15 19 23
struct Codes {
  enum Code { First = 3, Second };
  static constexpr int count = 7;
};
class Configured : public Halide::Generator<Configured> {
public:
  Input<Buffer<void, 1>> in{"in"};
  Output<Buffer<int, 1>> out{"out"};
  void configure() { in.set_type(Halide::UInt(8)); }
  void generate() {
    Halide::Var x("x");
    out(x) = Halide::cast<int>(in(x)) * Codes::Second + Codes::count;
  }
};
HALIDE_REGISTER_GENERATOR(Configured, configured)
