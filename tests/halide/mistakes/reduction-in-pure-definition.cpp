// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the first argument of the initial definition is a variable of an RDom, no Var
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4);
Func f("f");
// CHECK: :[[#@LINE+1]]:3: error: an argument of the first definition of f is no Var, each should be one; an update may have others
f(r, y) = in(r, y);
out(x, y) = f(x, y);
