# A stencil of a number, and of a sum.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:18 {{the stencil lies on the integer 3, it should lie on a stage or an image}}
f.defn = Stencil(3, 1, [[1, 2]])
# expected-error@+1:28 {{the stencil lies on an expression, it should lie on a stage or an image}}
f.defn = Stencil(img(x, y) + 1, 1, [[1, 2]])
