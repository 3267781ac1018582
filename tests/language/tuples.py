# Stages of several values: definitions, cases, defaults, elements of reads, recurrences, and reductions, of each element by
# its own operation, and of the tuple as a whole: the first least and greatest value and where it is.
# RUN: %python %lib/values.py %s 'img=i32:3,9,1;4,4,4' as-written parts_0 parts_1 sum swapped scan_0 scan_1 back_1 least_0 least_1 most_1 where_0 where_1 where_2 each_0 each_1 none_0 none_1 given_1 --live-out=parts,sum,swapped,scan,back,least,most,where,each,none,given | FileCheck %s --match-full-lines
# RUN: %python %lib/values.py %s img=i32:1x1 as-written parts_0 parts_1 sum swapped scan_0 scan_1 back_1 least_0 least_1 most_1 where_0 where_1 where_2 each_0 each_1 none_0 none_1 given_1 --live-out=parts,sum,swapped,scan,back,least,most,where,each,none,given | FileCheck %s --check-prefix=TINY --match-full-lines
# CHECK: parts_0: 0.5 4.5 0.5
# CHECK-NEXT: parts_0: 0.5 2 2
# CHECK-NEXT: parts_1: -1 24464 10000
# CHECK-NEXT: parts_1: -1 -25536 -25536
# CHECK-NEXT: sum: -0.5 24468.5 10000.5
# CHECK-NEXT: sum: -0.5 -25534 -25534
# CHECK-NEXT: swapped: 1 24468 10000
# CHECK-NEXT: swapped: 1 25536 25536
# CHECK-NEXT: scan_0: 3 12 13
# CHECK-NEXT: scan_1: 1 2 4
# CHECK-NEXT: back_1: 2.45 1.35 0.25
# CHECK-NEXT: least_0: 1 4
# CHECK-NEXT: least_1: 2 0
# CHECK-NEXT: most_1: 1 0
# CHECK-NEXT: where_0: 247
# CHECK-NEXT: where_1: 0
# CHECK-NEXT: where_2: 2
# CHECK-NEXT: each_0: 25
# CHECK-NEXT: each_1: 9
# CHECK-NEXT: none_0: -inf
# CHECK-NEXT: none_1: 2147483647
# CHECK-NEXT: given_1: -1
# TINY: parts_0: 0.5
# TINY-NEXT: parts_1: -1
# TINY-NEXT: sum: -0.5
# TINY-NEXT: swapped: 1
# TINY-NEXT: scan_0: 0
# TINY-NEXT: scan_1: 1
# TINY-NEXT: back_1: 0.25
# TINY-NEXT: least_0: 0
# TINY-NEXT: least_1: 0
# TINY-NEXT: most_1: 0
# TINY-NEXT: where_0: 246
# TINY-NEXT: where_1: 0
# TINY-NEXT: where_2: 0
# TINY-NEXT: each_0: 0
# TINY-NEXT: each_1: 0
# TINY-NEXT: none_0: -inf
# TINY-NEXT: none_1: 2147483647
# TINY-NEXT: given_1: -1
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Int, "img", [R, C])
x, y, i = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i")
rows, cols, one = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 0)
plane = ([x, y], [rows, cols])

parts = Function(plane, (Float, Short), "parts")
parts.default = (0.5, -1)
parts.defn = [Case(y > 0, (img(x, y) / 2.0, img(x, y) * 10000))]
sum = Function(plane, Float, "sum")
sum.defn = parts(x, y)[0] + parts(x, y)[1]
swapped = Function(plane, Int, "swapped")
f, n = parts(x, y)
swapped.defn = [Case(n > 0, n + Cast(Int, f)), Case(n <= 0, -n)]
scan = Function(([y], [cols]), (Int, Int), "scan")
scan.defn = Case(y == 0, (img(0, y), 1))
scan.defn = Case(y > 0, (scan(y - 1)[0] + img(0, y), scan(y - 1)[1] * 2))
back = Function(([y], [cols]), (Int, Double), "back")
back.defn = [Case(y == C - 1, (0, 0.25)), Case(y < C - 1, (0, back(y + 1)[1] + 1.1))]

least = Reduction(([x], [rows]), plane, (Int, Int), "least")
least.defn = Reduce(least(x), (img(x, y), y), ArgMin)
most = Reduction(([x], [rows]), plane, (Int, Short), "most")
most.defn = Reduce(most(x), (img(x, y), y), Op.ArgMax)
where = Reduction(([i], [one]), plane, (UChar, Int, Int), "where")
where.defn = [Reduce(where(0), (img(x, y) + 246, x, y), ArgMin)]
each = Reduction(([i], [one]), plane, (Int, Float), "each")
each.defn = Reduce(each(0), (img(x, y), img(x, y)), (Sum, Max))
none = Reduction(([i], [one]), plane, (Float, Int), "none")
none.defn = Case(img(x, y) > 99, Reduce(none(0), (img(x, y), x), ArgMax))
given = Reduction(([i], [one]), plane, (Float, Int), "given")
given.default = (1e9, -1)
given.defn = Case(img(x, y) > 99, Reduce(given(0), (img(x, y), x), ArgMin))
