// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a factor that is a float out of the range of integers
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:18: error: the factor is 1e+30, it should be near an integer
out.vectorize(x, 1e30);
