// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: cast<Func>: no type of values (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:18: error: cast has Func in <>, it should have a type of numbers, as uint8_t is
out(x, y) = cast<Func>(in(x, y));
