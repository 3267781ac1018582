// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the kernel's pixels are those of its space
#include "hipacc.hpp"
using namespace hipacc;
class Zero : public Kernel<float> {
  public:
// CHECK: :[[#@LINE+1]]:48: error: the Image 'result' is of uchar, the Kernel should be of its type
    Zero(IterationSpace<uchar> &iter) : Kernel(iter) {}
    void kernel() { output() = 0.5f; }
};
int main() {
    Image<uchar> result(32, 24);
    IterationSpace<uchar> iter(result);
    Zero zero(iter);
    zero.execute();
    result.data();
}
