# A stage in the three spellings, its arguments in any order, positional behind keyword.
# RUN: %python %lib/values.py %s a b c d e | FileCheck %s --match-full-lines
# CHECK: a: 0 1 2 3
# CHECK-NEXT: b: 1 2 3 4
# CHECK-NEXT: c: 2 3 4 5
# CHECK-NEXT: d: 3 4 5 6
# CHECK-NEXT: e: 4 5 6 7
import dsl
x = Variable()
r = Interval(0, 3)
a = Function(varDom = ([x], [r]), Int)
a.defn = x
b = Function(([x], [r]), Int, "b")
b.defn = a(x) + 1
c = dsl.Function(dsl.Int, "c")
c.variableDomain = ([x], [r])
c.definition = b(x) + 1
d = Function(Int, "d", ([x], [r]))
d.defn = c(x) + 1
e = Function(varDom = ([x], [r]), Int, "e")
e.defn = d(x) + 1
