// RUN: %python %lib/halide_values.py %s
// What a map has not yet is made when it is asked for; rows of a vector of vectors are lists of their own.
// in: in = 3 u8: 3 5 250
// extents: out = 3
// expect: out = 3 u8: 33 37 15
Input<Buffer<uint8_t, 1>> in{"in"};
Output<Buffer<uint8_t, 1>> out{"out"};
Var x("x");
std::map<std::string, Func> f;
f["double"](x) = in(x) * 2;
f["more"](x) = f["double"](x) + 1;
std::map<int, int> counts;
for (int i = 0; i < 7; i++) counts[i % 3] += i;
std::vector<std::vector<int>> table(2, std::vector<int>(2, 1));
table[0][1] = 10;
out(x) = f["more"](x) + counts[0] + counts[2] * table[1][1] + table[0][1];
