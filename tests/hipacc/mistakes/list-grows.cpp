// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a list grows in all pixels alike
#include "hipacc.hpp"
#include <vector>
#define WIDTH 32
using namespace hipacc;
class Filter : public Kernel<float> {
    Accessor<float> &in;
  public:
    Filter(IterationSpace<float> &iter, Accessor<float> &in) : Kernel(iter), in(in) {}
    void kernel() {
        std::vector<float> values;
        values.push_back(1.0f);
// CHECK: :[[#@LINE+1]]:33: error: a list gets other items under a condition that differs from point to point, or in a loop that does
        if (in() > 1.0f) values.push_back(2.0f);
        output() = values[0];
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
