# An expression, a list, a case, a list of cases, and assignments that add cases.
# RUN: %python %lib/values.py %s a b c d e | FileCheck %s --match-full-lines
# CHECK: a: 0 2 4 6
# CHECK-NEXT: b: 1 3 5 7
# CHECK-NEXT: c: 0 0 5 7
# CHECK-NEXT: d: 7 0 5 0
# CHECK-NEXT: e: 7 0 0 3
x = Variable()
r = Interval(0, 3)
a, b, c = Function(([x], [r]), Int), Function(([x], [r]), Int), Function(([x], [r]), Int)
a.defn = x * 2
b.defn = [a(x) + 1]
c.defn = Case(Condition(x, '>', 1), b(x))
d = Function(([x], [r]), Int)
d.defn = [Case(Condition(x, '<', 1), 7), Case(Condition(x, '==', 2), c(x))]
e = Function(([x], [r]), Int)
e.definition = Case(Condition(x, '<=', 1), d(x))
e.definition = Case(Condition(x, '>', 2), x)
