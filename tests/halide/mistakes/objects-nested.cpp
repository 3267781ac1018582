// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a struct that holds itself (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:14: error: calls are nested more than 200 deep, the functions should not call each other for ever
struct A { A a; };
A a;
out(x, y) = in(x, y);
