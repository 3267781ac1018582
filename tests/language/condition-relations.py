# The six relations of Condition, and the same as Python's operators.
# RUN: %python %lib/values.py %s lt le gt ge eq ne python | FileCheck %s --match-full-lines
# CHECK: lt: 1 1 0 0 0
# CHECK-NEXT: le: 1 1 1 0 0
# CHECK-NEXT: gt: 0 0 0 1 1
# CHECK-NEXT: ge: 0 0 1 1 1
# CHECK-NEXT: eq: 0 0 1 0 0
# CHECK-NEXT: ne: 1 1 0 1 1
# CHECK-NEXT: python: 10 11 12 13 0
x = Variable(Int, "x")
r = Interval(Int, 0, 4)


def stage(name, condition):
    f = Function(([x], [r]), Int, name)
    f.defn = Case(condition, 1)


stage("lt", Condition(x, '<', 2))
stage("le", Condition(x, '<=', 2))
stage("gt", Condition(x, '>', 2))
stage("ge", Condition(2, '<=', x))
stage("eq", Condition(x, '==', 2))
stage("ne", Condition(x, '!=', 2))
python = Function(([x], [r]), Int, "python")
python.defn = [Case(x < 1, 10), Case((x >= 1) & (x <= 1), 11), Case(x == 2, 12), Case((x > 2) & (x != 4), 13)]
