# From two dimensions to one, to a row of sums, to one cell; read by stages of other ranks.
# RUN: %python %lib/values.py %s img=i32:3x4 rows cols total block mean | FileCheck %s --match-full-lines
# CHECK: rows: 6 22 38
# CHECK-NEXT: cols: 8 9 10 11
# CHECK-NEXT: total: 66
# CHECK-NEXT: block: 10 18
# CHECK-NEXT: block: 17 21
# CHECK-NEXT: mean: -5.5 -4.5 -3.5 -2.5
# CHECK-NEXT: mean: -1.5 -0.5 0.5 1.5
# CHECK-NEXT: mean: 2.5 3.5 4.5 5.5
img = Image(Int, "img", [3, 4])
x, y, v, w = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v"), Variable(Int, "w")
points = ([x, y], [Interval(Int, 0, 2), Interval(Int, 0, 3)])
rows = Reduction(([v], [Interval(Int, 0, 2)]), points, Int, "rows")
rows.defn = Reduce(rows(x), img(x, y), Sum)
cols = Reduction(([v], [Interval(Int, 0, 3)]), points, Int, "cols")
cols.defn = Reduce(cols(y), img(x, y), Max)
total = Reduction(([v], [Interval(Int, 0, 0)]), points, Int, "total")
total.defn = Reduce(total(0), img(x, y), Sum)
block = Reduction(([v, w], [Interval(Int, 0, 1), Interval(Int, 0, 1)]), points, Int, "block")
block.defn = Reduce(block(x / 2, y / 2), img(x, y), Sum)
mean = Function(points, Float, "mean")
mean.defn = img(x, y) - total(0) / 12.0 + rows(x) * 0 + cols(y) * 0
