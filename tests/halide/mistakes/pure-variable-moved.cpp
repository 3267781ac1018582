// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: y stands at another place than in the pure definition, so it is an undefined variable of the update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4);
out(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:5: error: the Var y is at the position of x in this update of out, it should be that one
out(y, x) = in(x, y) + out(x + 1, r);
