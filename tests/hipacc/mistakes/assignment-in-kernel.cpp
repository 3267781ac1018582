// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: images are assigned to by host code
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Accessor<uchar> &other;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Accessor<uchar> &other) : Kernel(iter), in(in), other(other) {}
    void kernel() {
        output() = in();
// CHECK: :[[#@LINE+1]]:15: error: regions are copied by '=' alone, in host code
        other = in;
    }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar> result(32, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    Filter filter(iter, acc, acc);
    filter.execute();
    result.data();
}
