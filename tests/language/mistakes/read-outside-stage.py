# A stencil at the edge of a stage that is smaller than the image.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-note@+1:5 {{the domain of f is { [x, y] : 1 <= x <= R - 2 and 0 <= y <= C - 1 }}}
f = Function(([x, y], [Interval(Int, 1, R - 2), c]), Float, "f")
f.defn = img(x - 1, y) + img(x + 1, y)
g = Function(([x, y], [Interval(Int, 1, R - 2), c]), Float, "g")
# expected-error@+2:10 {{f(0, 0) is read for x = 1, y = 0, R = 3, C = 1, but g should read f only inside its domain}}
# expected-note@+1:10 {{2 of the 3 reads of f here leave it; g stays inside where 2 <= x <= R - 3; a boundary mode of f, such as boundary="clamp", gives all points outside a value}}
g.defn = Stencil(f(x, y), 1, [[1], [1], [1]])
