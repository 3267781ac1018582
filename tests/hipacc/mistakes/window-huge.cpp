// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: windows are unrolled
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
    const float coef[1][1] = {{1}};
    Mask<float> mask(coef);
// CHECK: :[[#@LINE+1]]:12: error: the window has 200 x 200 points, it should have 1 to 4096
    Domain dom(200, 200);
    Filter filter(iter, acc, mask, dom);
    filter.execute();
    result.data();
}
