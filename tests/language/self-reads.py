# A stage that reads itself at earlier points: a scan, a summed-area table, iteration over time.
# RUN: %python %lib/values.py %s img=i32:3x3 scan table life | FileCheck %s --match-full-lines
# CHECK: scan: 0 1 3
# CHECK-NEXT: scan: 3 7 12
# CHECK-NEXT: scan: 6 13 21
# CHECK-NEXT: table: 0 1 3
# CHECK-NEXT: table: 3 8 15
# CHECK-NEXT: table: 9 21 36
# CHECK-NEXT: life: 3 4 5
# CHECK-NEXT: life: 5 7 9
# CHECK-NEXT: life: 9 12 16
# CHECK-NEXT: life: 16 21 28
img = Image(Int, "img", [3, 3])
t, x, y = Variable(Int, "t"), Variable(Int, "x"), Variable(Int, "y")
r = Interval(Int, 0, 2)
scan = Function(([x, y], [r, r]), Int, "scan")
scan.defn = [Case(Condition(y, '==', 0), img(x, y)), Case(Condition(y, '>', 0), scan(x, y - 1) + img(x, y))]
table = Function(([x, y], [r, r]), Int, "table")
table.defn = [Case(Condition(x, '==', 0), scan(x, y)), Case(Condition(x, '>', 0), table(x - 1, y) + scan(x, y))]
life = Function(([t, x], [Interval(Int, 0, 3), r]), Int, "life")
life.defn = [Case(Condition(t, '==', 0), img(1, x)),
             Case(Condition(t, '>', 0) & Condition(x, '>', 0), life(t - 1, x) + life(t - 1, x - 1)),
             Case(Condition(t, '>', 0) & Condition(x, '==', 0), life(t - 1, 2))]
