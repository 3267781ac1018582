// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a Func where the host wants an int (C++)
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
Func shifted(Func f, int by) {
    Func g("g");
    g(x, y) = f(x + by, y);
    return g;
}
Func f("f");
f(x, y) = in(x, y);
// CHECK: :[[#@LINE+1]]:24: error: this is a Func, a number that is known while the program is compiled should be here
out(x, y) = shifted(f, f)(x, y);
