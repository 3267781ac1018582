// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: an index that is a float of a parameter, which a bound makes larger than a float holds
Input<Buffer<uint8_t, 1>> in{"in"};
Input<int> n{"n", 5000000, 4000000, 6000000};
// CHECK: :[[#@LINE+1]]:28: error: an index is a float of what no call has so small that the float is exact: parameters of at most 2^21, pictures of at most 2^19 points along a dimension
Output<Buffer<uint8_t, 1>> out{"out"};
Var x("x");
out(x) = in(clamp(cast<int>(cast<float>(n) * 0.5f), 0, 9));
