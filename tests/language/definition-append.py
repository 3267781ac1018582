# f.defn.append(case) and .extend([cases]) add cases as an assignment does; a Stencil's arguments by PolyMage's own names.
# RUN: %python %lib/values.py %s img=i32:1,2,3,4 f h s | FileCheck %s --match-full-lines
# CHECK: f: 10 2 3 40
# CHECK-NEXT: h: 20
# CHECK-NEXT: s: 0 1 2 3
img = Image(Int, "img", [4])
x, v = Variable(Int, "x"), Variable(Int, "v")
r = Interval(Int, 0, 3)
f = Function(([x], [r]), Int, "f")
f.defn = [Case(Condition(x, '>', 0) & Condition(x, '<', 3), img(x))]
f.defn.append(Case(Condition(x, '==', 0), 10))
f.definition.extend([Case(Condition(x, '==', 3), 40)])
h = Reduction(([v], [Interval(Int, 0, 0)]), ([x], [r]), Int, "h")
for i in range(2):
    h.defn.append(Reduce(h(0), img(x), Sum))
s = Function(([x], [r]), Int, "s")
s.defn = Case(Condition(x, '>', 0), Stencil(img, [x], [1, 0], _origin=[1]))
