# Too few indices, and too many.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x], [r]), Float, "f")
# expected-error@+1:10 {{the image img is read with 1 index, it should be with 2, one a dimension}}
f.defn = img(x)
g = Function(([x], [r]), Float, "g")
# expected-error@+1:10 {{the image img is read with 3 indices, it should be with 2, one a dimension}}
g.defn = img(x, x, x)
