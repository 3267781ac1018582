# Updates of tuples that begin with different numbers, each in its own cells: the least and the greatest, and where they are;
# and the elements by operations of their own.
# RUN: %python %lib/values.py %s 'img=i32:4,-7,2;-1,-3,9' pairs_0 pairs_1 each_0 each_1 --live-out=pairs,each as-written | FileCheck %s --match-full-lines
# CHECK: pairs_0: -7 9
# CHECK-NEXT: pairs_1: 0 1
# CHECK-NEXT: each_0: -7 -1 2147483647
# CHECK-NEXT: each_1: -1 6 0
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Int, "img", [R, C])
k, x, y = Variable(Int, "k"), Variable(Int, "x"), Variable(Int, "y")
row, col, two, three = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 1), Interval(Int, 0, 2)

pairs = Reduction(([k], [two]), ([x, y], [row, col]), (Int, Int), "pairs")
pairs.defn = [Reduce(pairs(0), (img(x, y), x), ArgMin), Reduce(pairs(1), (img(x, y), x), ArgMax)]
each = Reduction(([k], [three]), ([x, y], [row, col]), (Int, Int), "each")
each.defn = [Case(x == 0, Reduce(each(0), (img(x, y), img(x, y)), (Min, Sum))),
             Case(x == 0, Reduce(each(1), (img(x, y), y + 1), (Sum, Prod)))]
