// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a Buffer is moved to where no coordinate is
Output<Func> out{"out", Int(32), 1};
Var x("x");
Buffer<int> t(3);
for (int i = 0; i < 3; i++) t(i) = i;
t.set_min(2);
// CHECK: :[[#@LINE+1]]:3: error: dimension 0 of t begins at a number that has more than 32 bits
t.translate(0, 9223372036854775807);
out(x) = t(clamp(x, 2, 4));
