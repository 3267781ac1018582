// RUN: exits-with 1 pm-translate --from=hipacc %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a window of a radius of 100 pixels, which is unrolled
#include "hipacc.hpp"
using namespace hipacc;

class Sum : public Kernel<int> {
    Accessor<uchar> &in;

  public:
    Sum(IterationSpace<int> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() {
        int sum = 0;
        for (int dy = -100; dy <= 100; ++dy)
            for (int dx = -100; dx <= 100; ++dx)
// CHECK: :[[#@LINE+1]]:21: error: the kernel has more than 16384 reads once its loops are unrolled, it should have fewer
                sum += in(dx, dy);
        output() = sum;
    }
};

int main() {
    Image<uchar> photo(64, 64, load_data<uchar>(64, 64, 1, "photo.jpg"));
    Image<int> sums(64, 64);
    BoundaryCondition<uchar> bound(photo, 201, 201, Boundary::CLAMP);
    Accessor<uchar> in(bound);
    IterationSpace<int> iter(sums);
    Sum(iter, in).execute();
    save_data(64, 64, 1, sums.data(), "sums.png");
}
