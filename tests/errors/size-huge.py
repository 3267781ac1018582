# An array of 10^12 elements, and a file that claims to have as many.
# RUN: refused %t pm-run %s --param N=1000000 --out f=%t/x.npy 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: %python %lib/npy_header.py %t.npy '<f4' 1000000 1000000
# RUN: refused %t pm-run %pipelines/harris.py --in img=%t.npy --out harris=%t/x.npy 2>&1 | FileCheck %s --check-prefix=FILE --implicit-check-not=error:
# CHECK: error: {{.*}}{{4000000000000|1000000000000|memory|too large}}
# FILE: error: {{.*}}.npy
N = Parameter(Int, "N")
x, y = Variable(Int, "x"), Variable(Int, "y")
all = Interval(Int, 0, N-1)

f = Function(([x, y], [all, all]), Float, "f")
f.defn = [ Cast(Float, x + y) ]
