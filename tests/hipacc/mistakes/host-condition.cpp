// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: what a reduction gives is not known when the program is compiled
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
    uchar reduce(uchar left, uchar right) const { return max(left, right); }
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
    Filter filter(iter, acc);
    filter.execute();
    uchar most = filter.reduced_data();
// CHECK: :[[#@LINE+1]]:27: error: the host does this under a condition that the call decides, it should do it always
    if (most > 10) filter.execute();
    result.data();
}
