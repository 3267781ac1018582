// mistake: no mistake for C++; a language for pipelines has no files
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
#include <fstream>
std::ifstream file("weights.txt");
int weight = 1;
file >> weight;
out(x, y) = in(x, y) * cast<uint8_t>(weight);
