# A recurrence without its first points.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-note@+1:5 {{the domain of f is { [x, y] : 0 <= x <= R - 1 and 0 <= y <= C - 1 }}}
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+2:10 {{f(-1, 0) is read for x = 0, y = 0, R = 1, C = 1, but f should read f only inside its domain}}
# expected-note@+1:10 {{f stays inside where x > 0; the other points should have a separate case; a boundary mode of f, such as boundary="clamp", gives all points outside a value}}
f.defn = f(x - 1, y) + img(x, y)
# expected-note@+1:5 {{the domain of g is { [x, y] : 0 <= x <= R - 1 and 0 <= y <= C - 1 }}}
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+2:37 {{g(-1, 0) is read for x = 1, y = 0, R = 2, C = 1, but g should read g only inside its domain}}
# expected-note@+1:37 {{g stays inside where x >= 2; the other points should have a separate case; a boundary mode of g, such as boundary="clamp", gives all points outside a value}}
g.defn = [Case(x > 0, g(x - 1, y) + g(x - 2, y)), Case(x == 0, img(x, y))]
