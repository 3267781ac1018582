// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: z is no argument of the update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Var z("z");
out(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:20: error: the Var z is used in the definition of out, but is none of its arguments
out(x, 0) += in(x, z);
