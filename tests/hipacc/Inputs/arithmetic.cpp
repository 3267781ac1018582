// Arithmetic on sizes: unsigned numbers wrap, floats are rounded, conversions narrow; and regions by quotients.
#include "hipacc.hpp"
#define WIDTH 64
#define HEIGHT 48
using namespace hipacc;
class Numbers : public Kernel<double> {
    Accessor<int> &in;
    const double a, b, c, d, e;
  public:
    Numbers(IterationSpace<double> &iter, Accessor<int> &in, double a, double b, double c, double d, double e)
        : Kernel(iter), in(in), a(a), b(b), c(c), d(d), e(e) {
        add_accessor(&in);
    }
    void kernel() {
        double value = in();
        if (x() == 0) value = a;
        if (x() == 1) value = b;
        if (x() == 2) value = c;
        if (x() == 3) value = d;
        if (x() == 4) value = e;
        output() = value;
    }
};
int main() {
    int *pixels = load_data<int>(WIDTH, HEIGHT, 1, "photo");
    Image<int> photo(WIDTH, HEIGHT, pixels);
    Image<double> result(WIDTH, HEIGHT);
    BoundaryCondition<int> bound(photo, 7, 7, Boundary::CLAMP);
    Accessor<int> part(bound, WIDTH - WIDTH / 3, HEIGHT - HEIGHT / 2, WIDTH / 3, HEIGHT / 2);
    IterationSpace<double> space(result, WIDTH - WIDTH / 3, HEIGHT - HEIGHT / 2, WIDTH / 4, 0);
    unsigned wrapped = WIDTH * 3000000000u / 7u;
    double rounded = (float)(WIDTH * 1000001);
    int narrow = (int)(WIDTH * 3000000000L) / 7;
    long wide = (long)(WIDTH * 3000000000u);
    unsigned around = (WIDTH + 4294967295u) / 2u;
    Numbers numbers(space, part, wrapped, rounded, narrow, wide, around);
    numbers.execute();
    save_data(WIDTH, HEIGHT, 1, result.data(), "result");
}
