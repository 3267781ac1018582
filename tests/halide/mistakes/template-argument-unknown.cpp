// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: uint7_t is not declared (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:32: error: cast has uint7_t in <>, it should have a type of numbers, as uint8_t is
out(x, y) = cast<uint8_t>(cast<uint7_t>(in(x, y)) + 1);
