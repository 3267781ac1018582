// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the same, of pixels that an image had
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
    uchar *copy = result.data();
// CHECK-DAG: :[[#@LINE+1]]:47: note: it does so here
    for (int i = 1; i < 32 * 24; ++i) copy[i] = copy[i] + copy[i - 1];
// CHECK-DAG: :[[#@LINE+1]]:32: error: the host computes what this memory has, kernels should
    Image<uchar> other(32, 24, copy);
    other.data();
    
}
