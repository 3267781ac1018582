// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a reference is to a variable
#include "hipacc.hpp"
#include <vector>
#define WIDTH 32
using namespace hipacc;
static void put(float &to, float value) { to = value; }
class Filter : public Kernel<float> {
    Accessor<float> &in;
  public:
    Filter(IterationSpace<float> &iter, Accessor<float> &in) : Kernel(iter), in(in) {}
    void kernel() {
// CHECK: :[[#@LINE+1]]:19: error: this is a float, a variable should be here: the parameter 'to' is a reference
        put(output(), in());
    }
};
int main() {
    float *pixels = load_data<float>(WIDTH, 24, 1, "photo.jpg");
    Image<float> photo(WIDTH, 24, pixels);
    Image<float> result(WIDTH, 24);
    Accessor<float> acc(photo);
    IterationSpace<float> iter(result);
    Filter filter(iter, acc);
    filter.execute();
    result.data();
}
