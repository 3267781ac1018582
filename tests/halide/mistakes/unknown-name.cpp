// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the name blured is not declared (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func blurred("blurred");
blurred(x, y) = in(x, y) / 2;
// CHECK: :[[#@LINE+1]]:13: error: the function 'blured' is not known, 'blurred' is the nearest one
out(x, y) = blured(x, y);
