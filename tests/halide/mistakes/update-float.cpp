// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: += of a float to a u8 Func: it is not converted, a cast is needed
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
out(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:11: error: this update of out has a value of type float, its first definition has uint8; a cast should make it so
out(x, y) += 1.5f;
