// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a Tuple of two has no value 2
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func f("f");
f(x, y) = Tuple(in(x, y), in(x, y));
// CHECK: :[[#@LINE+1]]:14: error: f has 2 elements, element 2 is asked for
out(x, y) = f(x, y)[2];
