// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: strings that grow for ever
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
std::string s = "a";
// CHECK: :[[#@LINE+1]]:1: error: the host code takes more than 1 GB, it should take less
while (s != "b") s = s + "a";
out(x, y) = in(x, y);
