// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: Int(0) as the type of a value
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Type none = Int(0);
// CHECK: :[[#@LINE+1]]:15: error: the type has 0 bits, it should have 1 or more
out(x) = cast(none, x) + none.bits();
