// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a function of the host that should return a Func returns nothing: undefined in C++
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func halved(Func f) {
    Func g("g");
    g(x, y) = f(x, y) / 2;
}
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+2]]:19: error: the function returns nothing, it should return Func
// CHECK: :[[#@LINE-7]]:6: note: it is defined here
out(x, y) = halved(f)(x, y);
