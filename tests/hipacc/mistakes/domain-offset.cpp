// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a point is one of the domain's
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Mask<float> &mask;
    Domain &dom;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Mask<float> &mask, Domain &dom) : Kernel(iter), in(in), mask(mask), dom(dom) {}
    void kernel() {
        output() = in();
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
// CHECK: :[[#@LINE+1]]:8: error: the point 2, 0 is outside of the window of 3 x 3
    dom(2, 0) = 0;
    Filter filter(iter, acc, mask, dom);
    filter.execute();
    result.data();
}
