// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: none of Halide's: derivatives are not supported here
Input<Buffer<float, 1>> in{"in"};
Output<Buffer<float, 1>> out{"out"};
Var x("x");
out(x) = in(x) * in(x);
// CHECK: :[[#@LINE+1]]:16: error: derivatives are not supported
Derivative d = propagate_adjoints(out);
Func grad = d(in);
