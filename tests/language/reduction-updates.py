# Cases and the default come first, then the updates in their order; each goes through its points in order and sees what was done.
# RUN: %python %lib/values.py %s img=i32:1,2,3,4 h several seen | FileCheck %s --match-full-lines
# CHECK: h: 6 7 8 54
# CHECK-NEXT: several: 5 5 20 10
# CHECK-NEXT: seen: 1 2 3 4
img = Image(Int, "img", [4])
x, v = Variable(Int, "x"), Variable(Int, "v")
r = ([v], [Interval(Int, 0, 3)])
p = ([x], [Interval(Int, 0, 3)])
h = Reduction(r, p, Int, "h")
h.default = 5
h.defn = [Case(Condition(v, '>', 2), 50), Reduce(h(x), img(x), Sum)]
several = Reduction(r, p, Int, "several")
several.default = 0
several.defn = Reduce(several(3 - x), img(x), Max)
several.defn = Case(Condition(x, '>=', 2), Reduce(several(x), 10, Prod))
several.defn = Case(Condition(img(x), '!=', 2), Reduce(several(x / 2), 1, Sum))
seen = Reduction(r, p, Int, "seen")
seen.defn = [Reduce(seen(x), 1, Sum), Case(Condition(x, '>', 0), Reduce(seen(x), seen(x - 1), Sum))]
