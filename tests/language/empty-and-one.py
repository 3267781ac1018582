# A picture of one point: interiors are empty, borders are all there is.
# RUN: %python %lib/values.py %s img=i32:1x1 out none | FileCheck %s --match-full-lines
# CHECK: out: 1
# CHECK-NEXT: none: 3
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Int, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
dom = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
inside = Condition(x, '>=', 1) & Condition(x, '<=', R - 2) & Condition(y, '>=', 1) & Condition(y, '<=', C - 2)
out = Function(dom, Int, "out")
out.defn = [Case(inside, Stencil(img(x, y), 1, [[1, 1, 1], [1, 1, 1], [1, 1, 1]])), Case(Condition(x, '==', 0), img(x, y) + 1)]
none = Function(dom, Int, "none")
none.defn = Case(inside, out(x - 1, y - 1))
none.default = 3
