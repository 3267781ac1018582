// RUN: exits-with 1 pm-translate %s --from=hipacc --size WIDTH --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a recursion has a known end
#include "hipacc.hpp"
#include <vector>
#define WIDTH 32
using namespace hipacc;
// CHECK: :[[#@LINE+1]]:50: error: calls are nested more than 200 deep, the functions should not call each other for ever
int halvings(int n) { return n > 1 ? n * halvings(n / 2) : 1; }
class Filter : public Kernel<float> {
    Accessor<float> &in;
  public:
    Filter(IterationSpace<float> &iter, Accessor<float> &in) : Kernel(iter), in(in) {}
    void kernel() {
        output() = in();
    }
};
int main() {
    float *pixels = load_data<float>(WIDTH, 24, 1, "photo.jpg");
    Image<float> photo(WIDTH, 24, pixels);
    Image<float> result(WIDTH, 24);
    Accessor<float> acc(photo);
    IterationSpace<float> iter(result);
    Filter filter(iter, acc);
    const int n = halvings(WIDTH);
    filter.execute();
    result.data();
}
