// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a reference that is not const is bound to the value of an expression
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
int n = 1;
// CHECK: [[#@LINE+1]]:12: error: this is an integer that is kept nowhere, a reference should be to a variable, a member or an element
int &r = n + 1;
out(x, y) = in(x, y) + r;
