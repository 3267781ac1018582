# What programs import and call: prefixes, calls of other modules that stand alone, the functions of math, reversed; a table
# that is marked "const"; lists of stages in what the builder returns.
# RUN: %python %lib/values.py %s as-written out table | FileCheck %s --match-full-lines
# CHECK: out: 60 30 -30 70 30 0 31410 2710 10 320
# CHECK-NEXT: table: 32 1 271 3141 0 3 7 -3 3 6
import sys
import math
from math import floor, sqrt
sys.path.insert(0, "..")


def build():
    x = Variable(Int, "x")
    slices = int(math.ceil(math.log(26, 2))) + 1
    values = [slices, math.ceil(2.1), floor(-2.5), int(sqrt(50)), int(math.log(1000, 10) + 0.5), int(math.log(1)),
              int(1000 * math.pi), int(100 * math.exp(1)), int(math.sin(0) + math.cos(0)), pow(2, 5)]
    table = Function(([x], [Interval(Int, 0, 9)]), Int, "table", "const")
    for i, value in enumerate(reversed(values)):
        table.defn = Case(Condition(x, '==', i), value)
    out = Function(([x], [Interval(Int, 0, 9)]), Int, "out")
    out.defn = table(9 - x) * 10
    return out, [table]
