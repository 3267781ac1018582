// RUN: %python %lib/halide_values.py %s
// Classes with types for parameters, in a namespace; names of what is inherited.
// in: in = 3 f32: 1 2 3
// param: gain = 2
// extents: out = 3
// expect: out = 3 f32: 5 7 9
namespace scaling {
template<typename T>
struct Pair {
  T first, second;
};
template<class T>
class Scale : public Halide::Generator<Scale<T>> {
public:
  typedef Halide::Generator<Scale<T>> Base;
  using Base::natural_vector_size;
  template<typename T2>
  using Input = typename Base::template Input<T2>;
  template<typename T2>
  using Output = typename Base::template Output<T2>;
  Input<Buffer<T, 1>> in{"in"};
  Input<T> gain{"gain", 1};
  Output<Buffer<T, 1>> out{"out"};
  void generate() {
    Var x("x");
    Pair<int> numbers;
    numbers.first = 7;
    numbers.second = 2;
    out(x) = in(x) * gain + cast<T>(numbers.first / numbers.second);
  }
};
}  // namespace scaling
HALIDE_REGISTER_GENERATOR(scaling::Scale<float>, scale)
