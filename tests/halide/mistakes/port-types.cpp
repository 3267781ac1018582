// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: two types of an input, none of an output
// CHECK: :[[#@LINE+1]]:17: error: the input has 2 types, it should have one
Input<Buffer<>> in{"in", {UInt(8), UInt(8)}, 2};
// CHECK: :[[#@LINE+1]]:25: error: 0 types are here, 1 to 16 should be
Output<Func> out{"out", {}, 2};
