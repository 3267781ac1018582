# An index of a float type, from a factor and from a value.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:16 {{an index has type Float, it should be an integer, Cast(Int, …) makes one}}
f.defn = img(x * 0.5, y)
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:12 {{an index has type Float, it should be an integer, Cast(Int, …) makes one}}
g.defn = f(f(x, y), y)
