# RandomFloat is 0 or above and below 1, another number at each point, the same in every run.
# RUN: %python %lib/values.py %s low high distinct again | FileCheck %s --match-full-lines
# CHECK: low: 0
# CHECK-NEXT: high: 0
# CHECK-NEXT: distinct: 100
# CHECK-NEXT: again: 0
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
dom = ([x, y], [Interval(Int, 0, 9), Interval(Int, 0, 9)])
one = ([v], [Interval(Int, 0, 0)])
noise = Function(dom, Float, "noise")
noise.defn = RandomFloat()
low = Reduction(one, dom, Int, "low")
low.defn = Case(Condition(noise(x, y), '<', 0), Reduce(low(0), 1, Sum))
high = Reduction(one, dom, Int, "high")
high.defn = Case(Condition(noise(x, y), '>=', 1), Reduce(high(0), 1, Sum))
distinct = Reduction(one, dom, Int, "distinct")
distinct.defn = Case(Condition(noise(x, y), '!=', noise(9 - x, y)), Reduce(distinct(0), 1, Sum))
other = Function(dom, Float, "other")
other.defn = noise(x, y) - noise(x, y)
again = Reduction(one, dom, Int, "again")
again.defn = Case(Condition(other(x, y), '!=', 0), Reduce(again(0), 1, Sum))
