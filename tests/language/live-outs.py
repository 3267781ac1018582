# Without a function that returns them, all that no other stage reads leaves the pipeline; two of different size and type.
# RUN: %python %lib/values.py %s img=i32:4x4 as-written sum last | FileCheck %s --match-full-lines
# CHECK: sum: 5.5 9.5 29.5 33.5
# CHECK-NEXT: last: -5
# CHECK-NEXT: last: -13
# CHECK-NEXT: last: -21
# CHECK-NEXT: last: -29
img = Image(Int, "img", [4, 4])
x, y = Variable(Int, "x"), Variable(Int, "y")
inner = Function(([x, y], [Interval(Int, 0, 3), Interval(Int, 0, 2)]), Int, "inner")
inner.defn = img(x, y) + img(x, y + 1)
half = Function(([x, y], [Interval(Int, 0, 1), Interval(Int, 0, 2)]), UChar, "half")
half.defn = inner(2 * x, y)
sum = Function(([x], [Interval(Int, 0, 3)]), Double, "sum")
sum.defn = inner(x, 0) * 0.5 + half(x / 2, 2)
last = Function(([x, y], [Interval(Int, 0, 3), Interval(Int, 2, 2)]), Short, "last")
last.defn = -inner(x, y)
