// HIPAcc's language as a library of C++, one pixel after the other, by the definition of docs/hipacc.md: the oracle of
// random_hipacc.py. Kernels see the old version of what they write. Inputs and outputs are files DIR/NAME.in and
// DIR/NAME.out of plain numbers.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

namespace hipacc {

extern std::string oracle_folder;
extern int oracle_width, oracle_height;

inline void oracle_write(const std::string &name, const void *from, size_t bytes) {
    std::ofstream(oracle_folder + "/" + name + ".out", std::ios::binary).write((const char *)from, bytes);
}

// --- vectors ---

template <typename T> struct vector4 {
    typedef T lane;
    T x, y, z, w;
    T &operator[](int i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
    const T &operator[](int i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
};
typedef vector4<char> char4;
typedef vector4<uchar> uchar4;
typedef vector4<short> short4;
typedef vector4<ushort> ushort4;
typedef vector4<int> int4;
typedef vector4<uint> uint4;
typedef vector4<float> float4;

#define ORACLE_VECTOR(OP)                                                                                     \
    template <typename T> vector4<T> operator OP(vector4<T> a, vector4<T> b) {                                \
        return {(T)(a.x OP b.x), (T)(a.y OP b.y), (T)(a.z OP b.z), (T)(a.w OP b.w)};                          \
    }                                                                                                         \
    template <typename T, typename S, typename = std::enable_if_t<std::is_arithmetic<S>::value>>              \
    vector4<T> operator OP(vector4<T> a, S s) {                                                               \
        return a OP vector4<T>{(T)s, (T)s, (T)s, (T)s};                                                       \
    }                                                                                                         \
    template <typename T, typename S, typename = std::enable_if_t<std::is_arithmetic<S>::value>>              \
    vector4<T> operator OP(S s, vector4<T> b) {                                                               \
        return vector4<T>{(T)s, (T)s, (T)s, (T)s} OP b;                                                       \
    }                                                                                                         \
    template <typename T, typename S> vector4<T> &operator OP##=(vector4<T> &a, S b) { return a = a OP b; }
ORACLE_VECTOR(+)
ORACLE_VECTOR(-)
ORACLE_VECTOR(*)
ORACLE_VECTOR(/)
ORACLE_VECTOR(%)
ORACLE_VECTOR(&)
ORACLE_VECTOR(|)
ORACLE_VECTOR(^)
ORACLE_VECTOR(<<)
ORACLE_VECTOR(>>)

#define ORACLE_MAKE(T)                                                                                        \
    inline T##4 make_##T##4(T a, T b, T c, T d) { return {a, b, c, d}; }                                      \
    inline T##4 make_##T##4(T a) { return {a, a, a, a}; }                                                     \
    template <typename S> T##4 convert_##T##4(vector4<S> v) { return {(T)v.x, (T)v.y, (T)v.z, (T)v.w}; }
ORACLE_MAKE(char)
ORACLE_MAKE(uchar)
ORACLE_MAKE(short)
ORACLE_MAKE(ushort)
ORACLE_MAKE(int)
ORACLE_MAKE(uint)
ORACLE_MAKE(float)

template <typename T> T min(T a, T b) { return a < b ? a : b; }
template <typename T> T max(T a, T b) { return a > b ? a : b; }
#define ORACLE_EXTREME(NAME)                                                                                  \
    template <typename T> vector4<T> NAME(vector4<T> a, vector4<T> b) {                                       \
        return {NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z), NAME(a.w, b.w)};                              \
    }                                                                                                         \
    template <typename T> vector4<T> NAME(vector4<T> a, T b) { return NAME(a, vector4<T>{b, b, b, b}); }      \
    template <typename T> vector4<T> NAME(T a, vector4<T> b) { return NAME(vector4<T>{a, a, a, a}, b); }
ORACLE_EXTREME(min)
ORACLE_EXTREME(max)

// --- images ---

template <typename T> T *load_data(int width, int height, int channels, const char *name) {
    char *data = (char *)calloc((size_t)width * height * channels * sizeof(T), 1);
    std::ifstream file(oracle_folder + "/" + name + ".in", std::ios::binary);
    file.read(data, (size_t)width * height * channels * sizeof(T));
    return (T *)data;
}

template <typename T> void save_data(int width, int height, int channels, T *data, const char *name) {
    oracle_write(name, data, (size_t)width * height * channels * sizeof(T));
}

template <typename T> class Accessor;

template <typename T> class Image {
  public:
    int w, h;
    std::vector<T> pixels;
    Image(int w, int h) : w(w), h(h), pixels((size_t)w * h, T{}) {}
    Image(int w, int h, T *from) : w(w), h(h), pixels(from, from + (size_t)w * h) {}
    Image(const Image &) = delete;
    int width() const { return w; }
    int height() const { return h; }
    T *data() { return (new std::vector<T>(pixels))->data(); }
    void operator=(const T *from) { pixels.assign(from, from + (size_t)w * h); }
    void operator=(const Image &from) { pixels = from.pixels; }
    void operator=(const Accessor<T> &from);
};

enum class Boundary { UNDEFINED, CLAMP, MIRROR, REPEAT, CONSTANT };
enum class Interpolate { NO, NN, LF };
enum class Reduce { SUM, PROD, MIN, MAX };

class Window {
  public:
    int w, h, at_x, at_y;
    Window(int w, int h) : w(w), h(h), at_x(0), at_y(0) {}
    int size_x() const { return w; }
    int size_y() const { return h; }
    int x() const { return at_x - w / 2; }
    int y() const { return at_y - h / 2; }
};

template <typename T> class Mask : public Window {
  public:
    std::vector<T> values;
    template <int H, int W> Mask(const T (&from)[H][W]) : Window(W, H), values(&from[0][0], &from[0][0] + H * W) {}
    T operator()() const { return values[at_y * w + at_x]; }
    T operator()(const Window &other) const { return values[other.at_y * w + other.at_x]; }
    T operator()(int x, int y) const { return values[(y + h / 2) * w + x + w / 2]; }
};

class Domain : public Window {
  public:
    std::vector<uchar> values;
    Domain(int w, int h) : Window(w, h), values(w * h, 1) {}
    template <int H, int W> Domain(const uchar (&from)[H][W]) : Window(W, H) {
        for (int i = 0; i < H * W; i++) values.push_back((&from[0][0])[i] != 0);
    }
    template <typename T> Domain(const Mask<T> &mask) : Window(mask.w, mask.h) {
        for (T v : mask.values) values.push_back(v != 0);
    }
    uchar &operator()(int x, int y) { return values[(y + h / 2) * w + x + w / 2]; }
};

template <typename T> class BoundaryCondition {
  public:
    Image<T> &image;
    Boundary mode;
    T value;
    BoundaryCondition(Image<T> &image, int, int, Boundary mode, T value = T{}) : image(image), mode(mode), value(value) {}
    BoundaryCondition(Image<T> &image, int, Boundary mode, T value = T{}) : image(image), mode(mode), value(value) {}
    BoundaryCondition(Image<T> &image, const Window &, Boundary mode, T value = T{}) : image(image), mode(mode), value(value) {}
};

// Where the kernel that runs is, and the size of its space.
struct Position {
    int x, y, width, height;
};
extern Position oracle_position;

inline int clamped(int i, int lo, int n) { return i < lo ? lo : i > lo + n - 1 ? lo + n - 1 : i; }

template <typename T> class Accessor {
  public:
    Image<T> &image;
    Boundary mode;
    T value;
    int w, h, ox, oy;
    Interpolate interpolation;
    Accessor(Image<T> &image, Interpolate i = Interpolate::NO) : Accessor(image, image.w, image.h, 0, 0, i) {}
    Accessor(Image<T> &image, int w, int h, int ox, int oy, Interpolate i = Interpolate::NO)
        : image(image), mode(Boundary::UNDEFINED), value(), w(w), h(h), ox(ox), oy(oy), interpolation(i) {}
    Accessor(BoundaryCondition<T> &b, Interpolate i = Interpolate::NO) : Accessor(b, b.image.w, b.image.h, 0, 0, i) {}
    Accessor(BoundaryCondition<T> &b, int w, int h, int ox, int oy, Interpolate i = Interpolate::NO)
        : image(b.image), mode(b.mode), value(b.value), w(w), h(h), ox(ox), oy(oy), interpolation(i) {}

    T of_image(int i, int j) const {
        return image.pixels[(size_t)clamped(j, 0, image.h) * image.w + clamped(i, 0, image.w)];
    }
    static int ruled(Boundary mode, int i, int lo, int n) {
        if (mode == Boundary::CLAMP) return clamped(i, lo, n);
        if (mode == Boundary::MIRROR) return i < lo ? 2 * lo - 1 - i : i >= lo + n ? 2 * (lo + n) - 1 - i : i;
        if (mode == Boundary::REPEAT) return lo + ((i - lo) % n + n) % n;
        return i;
    }
    T of_region(int x, int y, Boundary mode) const {
        int i = ox + x, j = oy + y;
        bool inside = i >= ox && i < ox + w && j >= oy && j < oy + h;
        if (mode == Boundary::CONSTANT && !inside) return value;
        return of_image(ruled(mode, i, ox, w), ruled(mode, j, oy, h));
    }
    static int tap(Interpolate how, int n, int m, int at, float *f) {
        float s = (float)n / (float)m, X = s / 2 + s * (float)at;
        if (how == Interpolate::NN) return (int)X;
        float b = X - 0.5f > 0 ? X - 0.5f : 0;
        *f = b - (float)(int)b;
        return (int)b;
    }
    T operator()(int dx, int dy) const {
        const Position &p = oracle_position;
        if (interpolation == Interpolate::NO || (w == p.width && h == p.height)) return of_region(p.x + dx, p.y + dy, mode);
        Boundary rule = mode == Boundary::UNDEFINED ? Boundary::CLAMP : mode;
        float fx = 0, fy = 0;
        int i = tap(interpolation, w, p.width, p.x + dx, &fx), j = tap(interpolation, h, p.height, p.y + dy, &fy);
        if (interpolation == Interpolate::NN) return of_region(i, j, rule);
        if constexpr (std::is_arithmetic<T>::value) {
            return (T)linear(i, j, fx, fy, rule, 0);
        } else {
            T v;
            for (int k = 0; k < 4; k++) v[k] = (typename T::lane)linear(i, j, fx, fy, rule, k);
            return v;
        }
    }
    static float lane(T pixel, int k) {
        if constexpr (std::is_arithmetic<T>::value)
            return (float)pixel;
        else
            return (float)pixel[k];
    }
    float linear(int i, int j, float fx, float fy, Boundary rule, int k) const {
        float sum = (1 - fy) * (1 - fx) * lane(of_region(i, j, rule), k);
        sum = sum + (1 - fy) * fx * lane(of_region(i + 1, j, rule), k);
        sum = sum + fy * (1 - fx) * lane(of_region(i, j + 1, rule), k);
        return sum + fy * fx * lane(of_region(i + 1, j + 1, rule), k);
    }
    T operator()() const { return (*this)(0, 0); }
    T operator()(const Window &at) const { return (*this)(at.x(), at.y()); }
    T pixel_at(int i, int j) const { return of_image(ox + i, oy + j); }
    void operator=(const Accessor &from) {
        std::vector<T> old = from.image.pixels;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                image.pixels[(size_t)(oy + y) * image.w + ox + x] = old[(size_t)(from.oy + y) * from.image.w + from.ox + x];
    }
};

template <typename T> void Image<T>::operator=(const Accessor<T> &from) { Accessor<T> all(*this), same(from); all = same; }

template <typename T> class IterationSpace {
  public:
    Image<T> &image;
    int w, h, ox, oy;
    IterationSpace(Image<T> &image) : IterationSpace(image, image.w, image.h, 0, 0) {}
    IterationSpace(Image<T> &image, int w, int h, int ox = 0, int oy = 0) : image(image), w(w), h(h), ox(ox), oy(oy) {}
};

// --- kernels ---

template <typename T> T combined(Reduce how, T r, T v) {
    switch (how) {
    case Reduce::SUM: return r + v;
    case Reduce::PROD: return r * v;
    case Reduce::MIN: return min(v, r);
    default: return max(v, r);
    }
}

template <typename T, typename B = T> class Kernel {
    struct Bin {
        Kernel &k;
        uint i;
        void operator=(B v) {
            if (i < k.bins->size()) (*k.bins)[i] = k.reduce((*k.bins)[i], v);
        }
    };
    std::vector<B> *bins = nullptr;
    std::vector<T> next;
    bool has_run = false;

  public:
    IterationSpace<T> space;
    Kernel(IterationSpace<T> &space) : space(space) {}
    virtual void kernel() = 0;
    virtual B reduce(B left, B) const { return left; }
    virtual void binning(uint, uint, T) {}
    template <typename A> void add_accessor(A *) {}
    T &output() { return output_at(x(), y()); }
    T &output_at(int i, int j) { return next[(size_t)(space.oy + j) * space.image.w + space.ox + i]; }
    int x() const { return oracle_position.x; }
    int y() const { return oracle_position.y; }

    void execute() {
        has_run = true;
        next = space.image.pixels;
        for (int y = 0; y < space.h; y++)
            for (int x = 0; x < space.w; x++) {
                oracle_position = {x, y, space.w, space.h};
                kernel();
            }
        space.image.pixels = next;
    }

    template <typename W, typename F> void for_points(W &window, F f) {
        for (window.at_y = 0; window.at_y < window.h; window.at_y++)
            for (window.at_x = 0; window.at_x < window.w; window.at_x++) f();
    }
    template <typename M, typename F> auto convolve(Mask<M> &mask, Reduce how, F f) -> decltype(f()) {
        bool any = false;
        decltype(f()) r{};
        for_points(mask, [&] { r = any ? combined<decltype(f())>(how, r, f()) : f(), any = true; });
        return r;
    }
    template <typename F> auto reduce(Domain &domain, Reduce how, F f) -> decltype(f()) {
        bool any = false;
        decltype(f()) r{};
        for_points(domain, [&] {
            if (domain.values[domain.at_y * domain.w + domain.at_x])
                r = any ? combined<decltype(f())>(how, r, f()) : f(), any = true;
        });
        return r;
    }
    template <typename F> void iterate(Domain &domain, F f) {
        for_points(domain, [&] { if (domain.values[domain.at_y * domain.w + domain.at_x]) f(); });
    }

    T pixel(int x, int y) const { return space.image.pixels[(size_t)(space.oy + y) * space.image.w + space.ox + x]; }
    B reduced_data() {
        if (!has_run) execute();
        B r = (B)pixel(0, 0);
        for (int i = 1; i < space.w * space.h; i++) r = reduce(r, (B)pixel(i % space.w, i / space.w));
        return r;
    }
    B *binned_data(int n) {
        if (!has_run) execute();
        bins = new std::vector<B>(n, B{});
        for (int y = 0; y < space.h; y++)
            for (int x = 0; x < space.w; x++) binning(x, y, pixel(x, y));
        return bins->data();
    }
    Bin bin(uint i) { return {*this, i}; }
    uint num_bins() const { return bins->size(); }
};

} // namespace hipacc

#define RESULT(name) hipacc::oracle_write(#name, &name, sizeof name);
#define BINS(name, n) hipacc::oracle_write(#name, name, n * sizeof *name);
