// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an accessor that is written has the space's size
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Accessor<uchar> &part;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Accessor<uchar> &part) : Kernel(iter), in(in), part(part) {}
    void kernel() {
        output() = in();
// CHECK: :[[#@LINE+1]]:16: error: the image that is written has another region than the space, they should be equal
        part() = in();
    }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar> result(32, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    Image<uchar> other(32, 24);
    Accessor<uchar> part(other, 16, 16, 0, 0);
    Filter filter(iter, acc, part);
    filter.execute();
    result.data();
}
