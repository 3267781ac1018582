// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: convolve does not stand in another one
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Mask<int> &mask, &other;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Mask<int> &mask, Mask<int> &other)
        : Kernel(iter), in(in), mask(mask), other(other) {}
    void kernel() {
        output() = convolve(mask, Reduce::SUM, [&] () -> int {
// CHECK: :[[#@LINE+1]]:20: error: convolve is in the lambda of another one, it should be outside
            return convolve(other, Reduce::SUM, [&] () -> int { return in(mask); });
        });
    }
};
int main() {
    const int ones[1][3] = {{1, 1, 1}}, twos[1][3] = {{2, 2, 2}};
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar> result(32, 24);
    Mask<int> mask(ones), other(twos);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    Filter filter(iter, acc, mask, other);
    filter.execute();
    result.data();
}
