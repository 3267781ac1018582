// RUN: exits-with 1 pm-translate %s --from=hipacc --size WIDTH --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a region is made in every call
#include "hipacc.hpp"
#include <vector>
#define WIDTH 32
using namespace hipacc;
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
// CHECK: :[[#@LINE+1]]:43: error: the host does this under a condition that the call decides, it should do it always
    if (WIDTH > 10) IterationSpace<float> unused(result, WIDTH - 10, 24, 10, 0);
    filter.execute();
    result.data();
}
