// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: variables of two RDoms in one update
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
RDom r(0, 4), s(0, 4);
out(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:16: error: the definition uses two RDoms, r and s, it should use one
out(r, y) = in(s, y);
