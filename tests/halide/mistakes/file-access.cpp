// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for C++; a language for pipelines has no files
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
#include <fstream>
// CHECK: :[[#@LINE+1]]:20: error: the type 'ifstream' is not known here
std::ifstream file("weights.txt");
int weight = 1;
file >> weight;
out(x, y) = in(x, y) * cast<uint8_t>(weight);
