# Two stages of one name are two stages; a name that is assigned twice leaves the first one without readers.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
f.defn = img(x, y)
f = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:10 {{the stage g is read with 3 indices, it should be with 2, one a dimension}}
f.defn = f(x, y, 0)
