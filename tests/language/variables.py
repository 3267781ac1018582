# Variables belong to the stages that name them; their values are i32.
# RUN: %python %lib/values.py %s f g h | FileCheck %s --match-full-lines
# CHECK: f: 0 1 2
# CHECK-NEXT: f: 10 11 12
# CHECK-NEXT: f: 20 21 22
# CHECK-NEXT: g: 0 10 20
# CHECK-NEXT: g: 1 11 21
# CHECK-NEXT: g: 2 12 22
# CHECK-NEXT: h: 0 5.5 12
import dsl
x, y = Variable(), Variable(Int, "y")
z = dsl.Variable(dsl.Int, "z")
r = Interval(0, 2)
f = Function(([x, y], [r, r]), Int)
f.defn = 10 * x + y
g = Function(([y, x], [r, r]), Int)
g.defn = f(x, y)
h = Function(([z], [r]), Float)
h.defn = z / 2 + f(z, z) * 0.5
