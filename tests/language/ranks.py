# Stages of different ranks read each other: a row repeated, a diagonal, a plane of a volume, a single value.
# RUN: %python %lib/values.py %s img=i32:3x3 rep diag vol one back | FileCheck %s --match-full-lines
# CHECK: rep: 3 43 83
# CHECK-NEXT: rep: 4 44 84
# CHECK-NEXT: rep: 5 45 85
# CHECK-NEXT: diag: 0 4 8
# CHECK-NEXT: vol: 3 43 83
# CHECK-NEXT: vol: 4 44 84
# CHECK-NEXT: vol: 5 45 85
# CHECK-NEXT: vol: 0 1 2
# CHECK-NEXT: vol: 3 4 5
# CHECK-NEXT: vol: 6 7 8
# CHECK-NEXT: one: 8
# CHECK-NEXT: back: 91 92 93
img = Image(Int, "img", [3, 3])
x, y, z = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "z")
r = Interval(Int, 0, 2)
diag = Function(([x], [r]), Int, "diag")
diag.defn = img(x, x)
rep = Function(([x, y], [r, r]), Int, "rep")
rep.defn = diag(y) * 10 + img(1, x)
vol = Function(([z, x, y], [Interval(Int, 0, 1), r, r]), Int, "vol")
vol.defn = rep(x, y) * (1 - z) + img(x, y) * z
one = Function(([x], [Interval(Int, 0, 0)]), Int, "one")
one.defn = vol(1, 2, 2) + diag(x)
back = Function(([x], [r]), Int, "back")
back.defn = vol(0, x, 2) + one(0)
