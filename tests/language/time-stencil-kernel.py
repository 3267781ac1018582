# TStencil over a function and a kernel; the number of steps by --const.
# RUN: %python %lib/values.py %s --const=T=2 img=i32:1,2,3,4,5 g | FileCheck %s --match-full-lines
# CHECK: g: 7 12 11
T = Parameter(Int, "T")
img = Image(Int, "img", [5])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, 4)]), Int, "f")
f.defn = img(x)
g = TStencil(f, ([x], [Interval(Int, 1, 3)]), [1, 0, 1], "g", None, T)
