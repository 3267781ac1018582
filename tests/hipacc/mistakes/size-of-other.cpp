// RUN: exits-with 1 pm-translate %s --from=hipacc --size WIDHT --to=pmir 2>&1 | FileCheck %s
// mistake: a name that the program does not have
// CHECK: :1:1: error: --size WIDHT: the program has no macro or constant of that name
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
    result.data();
}
