# Where no case applies a stage has its default, 0 without one.
# RUN: %python %lib/values.py %s none int_ float_ | FileCheck %s --match-full-lines
# CHECK: none: 0 5 0 0
# CHECK-NEXT: int_: 255 5 255 255
# CHECK-NEXT: float_: -0.5 5 -0.5 -0.5
x = Variable()
r = Interval(0, 3)
none = Function(([x], [r]), Int)
none.defn = Case(Condition(x, '==', 1), 5)
int = Function(([x], [r]), UChar)
int.defn = Case(Condition(x, '==', 1), 5)
int.default = 255
float = Function(([x], [r]), Double)
float.default = -0.5
float.defn = Case(Condition(x, '==', 1), 5)
