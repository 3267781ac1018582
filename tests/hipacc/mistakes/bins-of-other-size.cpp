// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an image of bins has as many pixels as there are bins
#include "hipacc.hpp"
using namespace hipacc;
class Bins : public Kernel<uchar, uint> {
    Accessor<uchar> &in;
  public:
    Bins(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
    void kernel() { output() = in(); }
    uint reduce(uint left, uint right) const { return left + right; }
    void binning(uint x, uint y, uchar pixel) { bin(pixel) = 1; }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels), copy(32, 24);
    Image<uint> table(16, 15);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(copy);
    Bins bins(iter, acc);
    uint *histogram = bins.binned_data(256);
// CHECK: :[[#@LINE+1]]:11: error: there are 256 bins, the image has 240 pixels, or another type
    table = histogram;
    table.data();
}
