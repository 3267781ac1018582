// A histogram, a sum, the extremes and a checksum of a picture; the extremes stretch its contrast. The checksum depends
// on the order of the pixels, which is that of their rows.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define BINS 32

using namespace hipacc;

class Bins : public Kernel<uchar, uint> {
    Accessor<uchar> &in;

  public:
    Bins(IterationSpace<uchar> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() { output() = in(); }
    uint reduce(uint left, uint right) const { return left + right; }
    void binning(uint x, uint y, uchar pixel) {
        if (x % 2 == y % 2) bin(pixel * num_bins() / 256) = 1;
    }
};

#define REDUCTION(NAME, TYPE, EXPRESSION)                                                        \
    class NAME : public Kernel<TYPE> {                                                           \
        Accessor<uchar> &in;                                                                     \
                                                                                                 \
      public:                                                                                    \
        NAME(IterationSpace<TYPE> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) {           \
            add_accessor(&in);                                                                   \
        }                                                                                        \
        void kernel() { output() = in(); }                                                       \
        TYPE reduce(TYPE left, TYPE right) const { return EXPRESSION; }                          \
    };

REDUCTION(Total, uint, left + right)
REDUCTION(Least, uchar, min(left, right))
REDUCTION(Most, uchar, left > right ? left : right)
REDUCTION(Checksum, uint, left * 31 + (right ^ left >> 27))

class Stretch : public Kernel<uchar> {
    Accessor<uchar> &in;
    uchar least, most;

  public:
    Stretch(IterationSpace<uchar> &iter, Accessor<uchar> &in, uchar least, uchar most)
        : Kernel(iter), in(in), least(least), most(most) { add_accessor(&in); }
    void kernel() { output() = (in() - least) * 255 / max(most - least, 1); }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");
    Image<uchar> photo(WIDTH, HEIGHT, pixels), copy(WIDTH, HEIGHT), stretched(WIDTH, HEIGHT);
    Image<uint> numbers(WIDTH, HEIGHT);
    Accessor<uchar> acc(photo);
    IterationSpace<uchar> iter(copy), iter_stretched(stretched);
    IterationSpace<uint> iter_numbers(numbers);

    Bins bins(iter, acc);
    uint *histogram = bins.binned_data(BINS);
    Total totals(iter_numbers, acc);
    uint total = totals.reduced_data();
    Checksum checksums(iter_numbers, acc);
    uint checksum = checksums.reduced_data();

    Least find_least(iter, acc);
    uchar least = find_least.reduced_data();
    Most find_most(iter, acc);
    uchar most = find_most.reduced_data();
    Stretch stretch(iter_stretched, acc, least, most);
    stretch.execute();

    std::cout << total << checksum << histogram[0] << std::endl;
    save_data(WIDTH, HEIGHT, 1, stretched.data(), "stretched.jpg");
    return EXIT_SUCCESS;
}
