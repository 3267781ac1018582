# A boundary mode of a stage that has only every second point.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-note@+1:5 {{the domain of f is { [x, y] : 0 <= x <= R - 1 and (x - (0)) mod 2 = 0 and 0 <= y <= C - 1 }}}
f = Function(([x, y], [Interval(Int, 0, R - 1, 2), c]), Float, "f", boundary="clamp")
f.defn = img(x, y)
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:10 {{f is read with a boundary mode, so its domain should be a box, but it has no point at (1, 0) when R = 3, C = 1}}
g.defn = f(x - 1, y)
