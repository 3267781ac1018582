// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the lambda returns nothing
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Mask<float> &mask;
    Domain &dom;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Mask<float> &mask, Domain &dom) : Kernel(iter), in(in), mask(mask), dom(dom) {}
    void kernel() {
// CHECK: :[[#@LINE+2]]:20: error: the function returns nothing, it should return float
// CHECK: :[[#@LINE+1]]:48: note: it is defined here
        output() = convolve(mask, Reduce::SUM, [&]() -> float { mask() * in(mask); });
    }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar> result(32, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    const float coef[3][3] = {{0, 1, 0}, {1, 2, 1}, {0, 1, 0}};
    Mask<float> mask(coef);
    Domain dom(mask);
    Filter filter(iter, acc, mask, dom);
    filter.execute();
    result.data();
}
