# Two stages that read each other.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{stages read one another in a circle: f is read by g, which is read by f; a stage may read itself at earlier points, all others should be read by stages that they do not need}}
f = Function(([x, y], [r, c]), Float, "f")
# expected-note@+1:5 {{g is one of them}}
g = Function(([x, y], [r, c]), Float, "g")
f.defn = g(x, y) + img(x, y)
g.defn = f(x, y) * 0.5
