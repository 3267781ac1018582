// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a kernel reads images through accessors
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
    Image<uchar> &image;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in, Image<uchar> &image) : Kernel(iter), in(in), image(image) {}
    void kernel() {
// CHECK: :[[#@LINE+1]]:25: error: this is an Image, a function, an Accessor or a Mask should be called
        output() = image(1, 0);
    }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels);
    Image<uchar> result(32, 24);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(result);
    Filter filter(iter, acc, photo);
    filter.execute();
    result.data();
}
