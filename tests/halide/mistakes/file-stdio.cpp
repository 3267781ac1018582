// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for C++; a language for pipelines has no files
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
#include <cstdio>
// CHECK: :[[#@LINE+1]]:14: error: the function 'fopen' is not known here
FILE *file = fopen("/etc/hostname", "r");
out(x, y) = in(x, y) + (file ? 1 : 0);
