// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the class has no method kernel
#include "hipacc.hpp"
using namespace hipacc;
class Nothing : public Kernel<uchar> {
  public:
    Nothing(IterationSpace<uchar> &iter) : Kernel(iter) {}
};
int main() {
    Image<uchar> result(32, 24);
    IterationSpace<uchar> iter(result);
    Nothing nothing(iter);
// CHECK: :[[#@LINE+1]]:13: error: the class 'Nothing' has no method 'kernel'
    nothing.execute();
    result.data();
}
