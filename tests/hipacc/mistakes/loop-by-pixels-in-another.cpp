// RUN: exits-with 1 pm-translate %s --from=hipacc --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a loop that ends by pixels is inside of another one
#include "hipacc.hpp"
using namespace hipacc;
class Steps : public Kernel<int> {
  Accessor<int> &in;
public:
  Steps(IterationSpace<int> &space, Accessor<int> &in) : Kernel(space), in(in) { add_accessor(&in); }
  void kernel() {
    int n = 0, x = 0;
    int v = in();
    while (n < 4 && x < v) { n++; int m = 0; while (m < 3 && x < 2 * v) { m++; x++; } }
    output() = x;
  }
};
int main() {
  const int width = 8, height = 4;
  int *data = new int[width * height];
  Image<int> a(width, height, data);
  Image<int> b(width, height);
  Accessor<int> acc(a);
  IterationSpace<int> space(b);
  Steps steps(space, acc);
  steps.execute();
  int *out = b.data();
  return 0;
}
// CHECK: {{^}}{{.*}}.cpp:12:{{[0-9]+}}: error: a loop whose end is not known is inside of another one
