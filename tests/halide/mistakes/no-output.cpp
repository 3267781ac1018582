// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a program that says not what it computes
Input<Buffer<uint8_t, 2>> in{"in"};
Var x("x"), y("y");
Func f("f");
// CHECK: :[[#@LINE+1]]:9: error: the program has no output, an Output<…> or output(f) should say what it computes
f(x, y) = in(x, y);
