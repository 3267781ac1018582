# Strings name stages and keys: +, str(), %, repetition, comparison.
# RUN: %python %lib/values.py %s f_1 f_2 g_ab ccc | FileCheck %s --match-full-lines
# CHECK: f_1: 10 11
# CHECK-NEXT: f_2: 20 21
# CHECK-NEXT: g_ab: 1 1
# CHECK-NEXT: ccc: 4 4
x = Variable(Int, "x")
r = Interval(Int, 0, 1)
previous = 0
for i in range(1, 3):
    f = Function(([x], [r]), Int, "f_" + str(i))
    f.defn = x + 10 * i
g = Function(([x], [r]), Int, "g_%s%s" % ('a', "b"))
g.defn = 1 if 'b' in "abc" and 'x' != "y" else 2
h = Function(([x], [r]), Int, 'c' * 3)
h.defn = len("four")
