// Pyramids that are traversed together: as arguments, or as a list of pointers.
#include "hipacc.hpp"
#include <vector>
#define PYRAMIDS a, b
using namespace hipacc;
class Half : public Kernel<uchar> {
    Accessor<uchar> &in;
  public:
    Half(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() { output() = in(); }
};
int main() {
    uchar *pixels = load_data<uchar>(32, 24, 1, "photo.jpg");
    Image<uchar> photo(32, 24, pixels), out(32, 24);
    Pyramid<uchar> a(photo, 3), b(out, 3);
    std::vector<Pyramid<uchar> *> all = {&a, &b};
    traverse(PYRAMIDS, [&] () {
        if (!a.is_top_level()) {
            Accessor<uchar> acc(a(-1), Interpolate::LF);
            IterationSpace<uchar> iter(a(0));
            Half half(iter, acc);
            half.execute();
        }
        traverse();
        Accessor<uchar> up(a(0));
        IterationSpace<uchar> to(b(0));
        Half copy(to, up);
        copy.execute();
    });
    out.data();
}
