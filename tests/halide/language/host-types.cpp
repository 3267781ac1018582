// RUN: %python %lib/halide_values.py %s
// struct with members and functions, enum class, std::map, std::string, std::pair, a vector of structs.
// in: in = 4 u8: 1 2 3 4
// extents: out = 4
// expect: out = 4 f32: 48.25 63.25 98.25 123.25
#include <map>
#include <string>
#include <utility>
enum class Mode { plain, twice = 5, bent };
struct Tap {
    int offset;
    float weight = 1.0f;
    Expr of(Func f, Expr at) const { return f(at + offset) * weight; }
};
static const float scale = 0.5f;
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<float, 1>> out{"out"};
Var x("x");
Mode mode = Mode::bent;
std::map<std::string, int> numbers;
numbers["one"] = 1;
numbers["ten"] = 10;
std::string name = "t";
name += std::string("e") + "n";
std::pair<int, float> pair{3, 0.25f};
Func f(name + "_" + std::to_string(int(mode)));
f(x) = cast<float>(in(clamp(x, 0, 3)));
std::vector<Tap> taps{{-1, 2.0f}, {1}};
taps.push_back({0, scale});
Expr sum = 0.0f;
for (const Tap &t : taps) sum += t.of(f, x);
out(x) = sum * numbers[name] + (mode == Mode::twice ? 1 : pair.first) + pair.second + (numbers.count("two") ? 1 : 0);
