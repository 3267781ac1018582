# `/` of integers where the file asks for Python 3's: no rounding. Of the values of stages it is the language's own.
# RUN: %python %lib/values.py %s img=i32:7,9,-9 as-written out real own | FileCheck %s --match-full-lines
# RUN: sed 's/division/print_function/; s|^quarter.*|quarter = 1.0 * (7 / 2)|' %s > %t.py && %python %lib/values.py %t.py img=i32:7,9,-9 as-written out real own | FileCheck %s --check-prefix=FLOORED --match-full-lines
# CHECK: out: 3 -4 2
# CHECK-NEXT: real: 3.5 -2.5 3.5
# CHECK-NEXT: own: 3 4 -4
# FLOORED: out: 3 -4 2
# FLOORED-NEXT: real: 3 -3 3
# FLOORED-NEXT: own: 3 4 -4
from __future__ import absolute_import, division

img = Image(Int, "img", [3])
x = Variable(Int, "x")
three = [Interval(Int, 0, 2)]
quarter = 7
quarter /= 2
floors, values = [7 // 2, -7 // 2, 5 // 2], [7 / 2, -5 / 2, quarter]

out = Function(([x], three), Int, "out")
out.defn = [Case(x == i, floors[i]) for i in range(3)]
real = Function(([x], three), Float, "real")
real.defn = [Case(x == i, 1.0 * values[i]) for i in range(3)]
own = Function(([x], three), Int, "own")
own.defn = img(x) / 2
