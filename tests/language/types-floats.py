# Float and Double: literals have the type of the other operand, and of the stage where they are alone; sums are rounded to it.
# RUN: %python %lib/values.py %s d=f64:0.1,16777217,1e-40,1e300 narrow wide third sum | FileCheck %s --match-full-lines
# CHECK: narrow: 0.1 1.677722e+07 9.999946e-41 inf
# CHECK-NEXT: wide: 0.1 1.677722e+07 9.999946e-41 inf
# CHECK-NEXT: third: -9.934107e-09 -9.934107e-09 -9.934107e-09 -9.934107e-09
# CHECK-NEXT: sum: 0.2 1.677722e+07 0.1 inf
d = Image(Double, "d", [4])
x = Variable(Int, "x")
all = Interval(Int, 0, 3)
narrow = Function(([x], [all]), Float, "narrow")
narrow.defn = d(x)
wide = Function(([x], [all]), Double, "wide")
wide.defn = narrow(x)
third = Function(([x], [all]), Double, "third")
third.defn = 1.0 / 3 - 0.33333334326744
sum = Function(([x], [all]), Double, "sum")
sum.defn = narrow(x) + 0.1
