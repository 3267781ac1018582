# Bounds in the wrong order: without any points, or with points for small pictures only.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
# expected-warning@+1:24 {{x goes from R - 1 to 0, which has points only for R = 1; the lower bound should come first, and the upper one not be below it}}
f = Function(([x, y], [Interval(Int, R - 1, 0), Interval(Int, 0, C - 1)]), Float, "f")
f.defn = img(x, y)
# expected-error@+1:21 {{x goes from 9 to 0, which has no points; the lower bound should come first, and the upper one not be below it}}
g = Function(([x], [Interval(Int, 9, 0)]), Float, "g")
g.defn = 1
# expected-error@+1:52 {{y goes from 3 to 2, which has no points; the lower bound should come first, and the upper one not be below it}}
h = Reduction(([x], [Interval(Int, 0, 0)]), ([y], [Interval(Int, 3, 2)]), Float, "h")
h.defn = Reduce(h(0), 1, Sum)
# expected-error@+1:21 {{x goes from R to R - 50, which has no points; the lower bound should come first, and the upper one not be below it}}
k = Function(([x], [Interval(Int, R, R - 50)]), Float, "k")
k.defn = 2
