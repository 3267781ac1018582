# Conditions joined by & and |, in parentheses and made by a function.
# RUN: %python %lib/values.py %s img=i32:5x5 border inner cross | FileCheck %s --match-full-lines
# CHECK: border: -1 -1 -1 -1 -1
# CHECK-NEXT: border: -1 6 7 8 -1
# CHECK-NEXT: border: -1 11 12 13 -1
# CHECK-NEXT: border: -1 16 17 18 -1
# CHECK-NEXT: border: -1 -1 -1 -1 -1
# CHECK-NEXT: inner: 0 0 0 0 0
# CHECK-NEXT: inner: 0 1 1 1 0
# CHECK-NEXT: inner: 0 0 0 1 0
# CHECK-NEXT: inner: 0 0 0 1 0
# CHECK-NEXT: inner: 0 0 0 0 0
# CHECK-NEXT: cross: 0 0 1 0 0
# CHECK-NEXT: cross: 0 0 1 0 0
# CHECK-NEXT: cross: 1 1 0 1 1
# CHECK-NEXT: cross: 0 0 1 0 0
# CHECK-NEXT: cross: 0 0 1 0 0
img = Image(Int, "img", [5, 5])
x, y = Variable(Int, "x"), Variable(Int, "y")
r = Interval(Int, 0, 4)
dom = ([x, y], [r, r])
inside = Condition(x, '>', 0) & Condition(x, '<', 4) & Condition(y, '>', 0) & Condition(y, '<', 4)
outside = Condition(x, '==', 0) | Condition(x, '==', 4) | Condition(y, '==', 0) | Condition(y, '==', 4)
border = Function(dom, Int, "border")
border.defn = [Case(outside, -1), Case(inside, img(x, y))]
inner = Function(dom, Int, "inner")
inner.defn = Case(inside & (Condition(x, '==', 1) | Condition(y, '==', 3)), 1)
cross = Function(dom, Int, "cross")
cross.defn = Case((Condition(x, '==', 2) | Condition(y, '==', 2)) & Condition(x + y, '!=', 4), 1)
