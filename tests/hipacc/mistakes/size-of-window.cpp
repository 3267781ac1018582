// RUN: exits-with 1 pm-translate %s --from=hipacc --size WIDTH --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a window has a known size
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
// CHECK: :[[#@LINE+1]]:16: error: a size is an int that the call decides, it should be an integer that is known while the program is compiled
    Domain dom(WIDTH, 3);
    filter.execute();
    result.data();
}
