// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: each level has at least one pixel, and has a number
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
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
// CHECK: :[[#@LINE+1]]:36: error: the depth is 6, which an image of 32 x 24 pixels does not have
    Pyramid<uchar> pyramid(result, 6);
    Pyramid<uchar> levels(result, 2);
// CHECK: :[[#@LINE+1]]:27: error: the level is 9223372036854775807, which an int does not hold
    Image<uchar> l(levels(9223372036854775807));
    result.data();
}
