// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the condition of select is a u8, no Bool
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:22: error: the condition of a select has type uint8, it should be bool
out(x, y) = select(in(x, y), in(x, y), 1);
