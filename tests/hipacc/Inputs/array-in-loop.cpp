#include "hipacc.hpp"
using namespace hipacc;
class Steps : public Kernel<int> {
  Accessor<int> &in;
public:
  Steps(IterationSpace<int> &space, Accessor<int> &in) : Kernel(space), in(in) { add_accessor(&in); }
  void kernel() {
    int n = 0; int x[2] = {0, 0};
    int v = in();
    while (n < 4 && x[1] < v) { x[1] += 2; n++; }
    output() = x[1];
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
