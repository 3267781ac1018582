// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the two values of select have different types, and none is a literal
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:27: error: the values of a select have types uint8 and int32, they should be one; cast<…> makes it so
out(x, y) = cast<uint8_t>(select(in(x, y) > 3, in(x, y), x));
