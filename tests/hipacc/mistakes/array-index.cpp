// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the array has three
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
    void kernel() {
        int a[3] = {1, 2, 3};
// CHECK: :[[#@LINE+1]]:21: error: the index is 3, it should be 0 to 2
        output() = a[3];
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
    result.data();
}
