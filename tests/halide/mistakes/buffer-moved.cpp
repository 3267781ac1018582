// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: none of Halide's: a Buffer is moved after it was read, an element is asked for that it does not have
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Buffer<int> b(3);
b.set_min(2);
// CHECK: :[[#@LINE+1]]:2: error: index 0 of b is 1, it should be 2 to 4
b(1) = 5;
out(x) = b(x);
// CHECK: :[[#@LINE+1]]:3: error: translate moves b, which a Func reads already; it should come first
b.translate(0, 1);
