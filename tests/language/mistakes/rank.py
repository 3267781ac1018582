# Too few indices, and too many.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x], [r]), Float, "f")
# expected-error@+1:10 {{an image is read with 1 indices, it has 2 dimensions}}
f.defn = img(x)
g = Function(([x], [r]), Float, "g")
# expected-error@+1:10 {{an image is read with 3 indices, it has 2 dimensions}}
g.defn = img(x, x, x)
