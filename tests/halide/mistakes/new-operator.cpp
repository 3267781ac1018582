// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for C++; a language for pipelines has no memory of its own
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+2]]:11: error: 'new' is not supported, values and std::vector are
// CHECK: :[[#@LINE+2]]:3: note: the name 'f' is needed here
Func *f = new Func("f");
(*f)(x, y) = in(x, y);
out(x, y) = (*f)(x, y);
