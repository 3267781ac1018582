// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: fmod is for host code
#include "hipacc.hpp"
using namespace hipacc;
class Filter : public Kernel<float> {
    Accessor<float> &in;
  public:
    Filter(IterationSpace<float> &iter, Accessor<float> &in) : Kernel(iter), in(in) {}
    void kernel() {
// CHECK: :[[#@LINE+1]]:20: error: fmodf takes numbers that are known while the program is compiled, a float of each pixel is here
        output() = fmodf(in(), 0.3f);
    }
};
int main() {
    float *pixels = load_data<float>(32, 24, 1, "photo.jpg");
    Image<float> photo(32, 24, pixels);
    Image<float> result(32, 24);
    Accessor<float> acc(photo);
    IterationSpace<float> iter(result);
    Filter filter(iter, acc);
    filter.execute();
    result.data();
}
