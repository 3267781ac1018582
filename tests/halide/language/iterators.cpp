// RUN: %python %lib/halide_values.py %s
// Iterators of vectors: find, distance, insert, reverse, loops over them; equal vectors.
// extents: out = 6
// expect: out = 6 i32: 2 -1 935937 9 6 1
#include <algorithm>
class Iterators : public Halide::Generator<Iterators> {
public:
  Output<Buffer<int, 1>> out{"out"};
  static int find_index(int value, std::vector<int> vec) {
    std::vector<int>::iterator it = std::find(vec.begin(), vec.end(), value);
    if (it == vec.end()) return -1;
    return std::distance(vec.begin(), it);
  }
  void generate() {
    Halide::Var x("x");
    std::vector<int> a{5, 3, 9};
    std::vector<int> b(a.begin() + 1, a.end());
    b.insert(b.end(), a.begin(), a.end());
    b.insert(b.begin(), 7);
    std::reverse(b.begin(), b.end());
    int sum = 0;
    for (auto it = b.begin(); it != b.end(); ++it) {
      sum = sum * 10 + *it;
    }
    std::vector<Halide::Expr> values{find_index(9, a), find_index(4, a), sum, b[0], static_cast<int>(b.size()), int(b != a && a == std::vector<int>{5, 3, 9})};
    out(x) = Halide::mux(x, values);
  }
};
HALIDE_REGISTER_GENERATOR(Iterators, iterators)
