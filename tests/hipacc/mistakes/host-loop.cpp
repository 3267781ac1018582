// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the same, of a loop
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
// CHECK: :[[#@LINE+1]]:23: error: the condition is a bool that the call decides, it should be known while the program is compiled
    for (int i = 0; i < filter.reduced_data(); ++i) filter.execute();
    result.data();
}
