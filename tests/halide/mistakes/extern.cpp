// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: functions and stages of another language (none in Halide)
// CHECK-DAG: :[[#@LINE+1]]:1: error: extern functions are not supported
HalideExtern_2(int, twice_of, int, int);
Output<Buffer<int, 1>> out{"out"};
Var x("x");
Func f("f");
// CHECK-DAG: :[[#@LINE+1]]:3: error: extern stages are not supported
f.define_extern("stage", {}, Int(32), 1);
// CHECK-DAG: :[[#@LINE+1]]:10: note: the function 'twice_of' is needed here
out(x) = twice_of(x, 1) + f(x);
