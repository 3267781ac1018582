# A stage that has no points in small pictures cannot be read there: the call refuses these.
# RUN: pm-translate %s --to=pmir -o %t.pmir 2>&1 | FileCheck %s
# RUN: FileCheck %s --check-prefix=IR < %t.pmir
# IR: context #isl.set<"[R] -> { {{.*}}R >= 3
R = Parameter(Int, "R")
x = Variable(Int, "x")
img = Image(Float, "img", [R])
inner = Function(([x], [Interval(Int, 1, R-2)]), Float, "inner", boundary="clamp")
inner.defn = img(x - 1) + img(x + 1)
outer = Function(([x], [Interval(Int, 0, R-1)]), Float, "outer")
# CHECK: boundaries-sizes.py:[[@LINE+1]]:{{[0-9]+}}: warning: what is read has no points
outer.defn = inner(x)
