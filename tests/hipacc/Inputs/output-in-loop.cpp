// A loop that ends by pixels writes output(): how often each pixel can be halved.
#include "hipacc.hpp"
using namespace hipacc;
class Halvings : public Kernel<int> {
    Accessor<int> &in;
  public:
    Halvings(IterationSpace<int> &space, Accessor<int> &in) : Kernel(space), in(in) { add_accessor(&in); }
    void kernel() {
        int rest = in(), n = 0;
        output() = -1;
        while (n < 20 && rest > 0) {
            rest /= 2;
            n++;
            output() = n * 10;
        }
    }
};
int main() {
    const int width = 8, height = 4;
    int *data = new int[width * height];
    Image<int> a(width, height, data);
    Image<int> b(width, height);
    Accessor<int> acc(a);
    IterationSpace<int> space(b);
    Halvings halvings(space, acc);
    halvings.execute();
    int *out = b.data();
    return 0;
}
