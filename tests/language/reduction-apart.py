# Without a default, updates that begin with different numbers do so each in its own cells, as far as the affine
# conditions and indices tell these apart. Cells that no update writes begin with the number of the first.
# RUN: %python %lib/values.py %s 'img=i32:4,-7,2;-1,-3,-2' rows ends parity given --live-out=rows,ends,parity,given as-written | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=i32:1x1 rows ends parity given --live-out=rows,ends,parity,given as-written | FileCheck %s --check-prefix=TINY --match-full-lines
# CHECK: rows: -7 -3 2147483647
# CHECK-NEXT: rows: 4 -1 2147483647
# CHECK-NEXT: rows: -1 -6 2147483647
# CHECK-NEXT: rows: -56 -6 2147483647
# CHECK-NEXT: ends: -7 2147483647 2147483647 4
# CHECK-NEXT: parity: -4 -4 -5
# CHECK-NEXT: given: 5 5
# TINY: rows: 0 2147483647
# TINY-NEXT: rows: 0 2147483647
# TINY-NEXT: rows: 0 2147483647
# TINY-NEXT: rows: 0 2147483647
# TINY-NEXT: ends: 0 2147483647 2147483647 0
# TINY-NEXT: parity: -3
# TINY-NEXT: given: 5 5
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Int, "img", [R, C])
k, x, y = Variable(Int, "k"), Variable(Int, "x"), Variable(Int, "y")
row, col, two, four = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 1), Interval(Int, 0, 3)
plane = ([x, y], [row, col])

# One operation a row, and a column without updates.
rows = Reduction(([k, x], [four, Interval(Int, 0, R)]), ([k, x, y], [four, row, col]), Int, "rows")
rows.defn = [Case(k == i, Reduce(rows(k, x), img(x, y), op)) for i, op in enumerate([Min, Max, Sum, Prod])]

# The number of an update that is not the first of its kind.
ends = Reduction(([k], [four]), plane, Int, "ends")
ends.defn = [Reduce(ends(0), 9, Min), Reduce(ends(3), img(x, y), Max), Reduce(ends(0), img(x, y), Min), Reduce(ends(3), -9, Max)]

# Columns by turns.
parity = Reduction(([y], [col]), plane, Int, "parity")
parity.defn = [Case(y % 2 == 0, Reduce(parity(y), img(x, y) - 3, Min)), Case(y % 2 == 1, Reduce(parity(y), img(x, y) + 3, Sum))]

# A default is that of all.
given = Reduction(([k], [two]), plane, Int, "given")
given.default = 5
given.defn = [Case(x > R, Reduce(given(0), 1, Sum)), Case(x > R, Reduce(given(1), 1, Min))]
