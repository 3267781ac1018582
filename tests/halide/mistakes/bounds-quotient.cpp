// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: the quotient of an extent and a parameter in the bounds of an RDom
Input<Buffer<uint8_t, 1>> in{"in"};
Input<int> step{"step"};
Output<Buffer<uint8_t, 1>> out{"out"};
Var x("x");
// CHECK: :[[#@LINE+1]]:22: error: the upper bound of an interval has a division by the parameter step (--range=step=2:2 makes it a number), it should be affine in integer parameters, as 2 * R + C - 1 is
RDom r(0, in.width() / step);
out(x) = cast<uint8_t>(0);
out(x) += in(r);
