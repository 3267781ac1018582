// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a vector is assigned to a pixel of four
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar4> {
    Accessor<uchar> &in;
  public:
    Filter(IterationSpace<uchar4> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
    void kernel() {
// CHECK: :[[#@LINE+1]]:18: error: this is a uchar of each pixel, a vector of the image's type should be here
        output() = in();
    }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar4> result(32, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar4> iter(result);
    Filter filter(iter, acc);
    filter.execute();
    result.data();
}
