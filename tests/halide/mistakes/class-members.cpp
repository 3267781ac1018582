// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: members without a name, and a constructor that takes one argument for each type of its class
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
template <typename... T>
struct Row {
    int n;
    Row(T... values) : n(sizeof...(values)) {}
};
// CHECK: :[[#@LINE+1]]:17: error: no function 'Row' suits an integer
Row<int, short> row(1);
struct Taps {
    // CHECK: :[[#@LINE+1]]:15: error: '[' is here, a name should be
    const int [4];
    // CHECK: :[[#@LINE+1]]:10: error: a structured binding is here, a member should be
    auto [a, b] = std::make_pair(1, 2);
};
Taps taps;
out(x, y) = in(x, y);
