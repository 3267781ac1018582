// std::clamp of a pixel.
#include "hipacc.hpp"
#include <algorithm>
using namespace hipacc;
class F : public Kernel<float> {
    Accessor<float> &in;
  public:
    F(IterationSpace<float> &s, Accessor<float> &in) : Kernel(s), in(in) { add_accessor(&in); }
    void kernel() { output() = std::clamp(in(), 0.25f, 0.75f); }
};
int main() {
    float *p = load_data<float>(8, 4, 1, "a");
    Image<float> a(8, 4, p), b(8, 4);
    Accessor<float> acc(a); IterationSpace<float> s(b);
    F f(s, acc); f.execute(); b.data();
}
