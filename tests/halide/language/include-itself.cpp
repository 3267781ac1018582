// A header is read once, the program itself too.
// RUN: pm-translate %s --to=pmir | FileCheck %s
// CHECK: stage.output @out
#include "include-itself.cpp"
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x, y);
