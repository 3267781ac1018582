// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: elements of a Buffer outside of it, at Vars, of no numbers; too many of them
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Buffer<int> b(3);
// CHECK: :[[#@LINE+1]]:2: error: index 0 of b is 3, it should be 0 to 2
b(3) = 1;
// CHECK: :[[#@LINE+1]]:2: error: b is called with 2 arguments, it has 1
b(0, 0) = 1;
// CHECK: :[[#@LINE+1]]:6: error: b is a Buffer, its elements are at numbers, as b(0)
b(x) = 2;
// CHECK: :[[#@LINE+1]]:6: error: this is a string, a number that fits int32 should be here
b(0) = "text";
// CHECK: :[[#@LINE+1]]:15: error: the extent is 0, it should be 1 to 1048576
Buffer<int> c(0);
// CHECK: :[[#@LINE+1]]:13: error: the Buffer has more than 1048576 elements, an input should have that many
Buffer<int> d(2000, 2000);
out(x) = b(x);
