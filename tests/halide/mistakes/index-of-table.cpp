// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: elements of a picture as indices of a Buffer of four
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Buffer<uint8_t> four(4);
for (int i = 0; i < 4; i++) four(i) = i;
// CHECK: :[[#@LINE+1]]:17: error: four is read at an index that is not known to stay inside; clamp(…) or a boundary condition keeps it inside
out(x, y) = four(in(x, y));
