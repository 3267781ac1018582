// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: what happens is not known when the program is compiled
#include "hipacc.hpp"
#define WIDTH 32
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
    uchar *pixels = load_data<uchar>(WIDTH, 24, 1, "photo.jpg");
    Image<uchar> photo(WIDTH, 24, pixels);
    Image<uchar> result(WIDTH, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    Filter filter(iter, acc);
    filter.execute();
// CHECK: :[[#@LINE+1]]:43: error: the host does this under a condition that the call decides, it should do it always
    if (filter.reduced_data() > 3) result = photo;
    result.data();
}
