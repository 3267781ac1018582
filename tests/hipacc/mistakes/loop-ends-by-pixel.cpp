// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: what the pixel has decides when it ends, and nothing says how late that may be
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<uchar> {
    Accessor<uchar> &in;
  public:
    Filter(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {}
    void kernel() {
        uint v = in(), n = 0;
// CHECK: :[[#@LINE+1]]:9: error: the loop has no known end: a conjunct of its condition should be 'n < P', with a number n that is known ahead of it, and P a number or an integer parameter
        while (v != 1) {
            v = v % 2 ? 3 * v + 1 : v / 2;
            n++;
        }
        output() = n;
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
