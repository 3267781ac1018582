# Rows and columns in the other order, one point too far, and a point before the first.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
# expected-note@+3:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
# expected-note@+2:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
# expected-note@+1:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+2:10 {{img(1, 0) is read for x = 0, y = 1, R = 1, C = 2, but f should read img only inside its domain}}
# expected-note@+1:10 {{f stays inside where x < C and y < R; a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
f.defn = img(y, x)
g = Function(([x, y], [Interval(Int, 0, R), c]), Float, "g")
# expected-error@+2:10 {{img(1, 0) is read for x = 1, y = 0, R = 1, C = 1, but g should read img only inside its domain}}
# expected-note@+1:10 {{g stays inside where x < R; a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
g.defn = img(x, y)
h = Function(([x, y], [r, c]), Float, "h")
# expected-error@+2:10 {{img(1, 0) is read for x = 0, y = 0, R = 1, C = 1, but h should read img only inside its domain}}
# expected-note@+1:10 {{2 of the 2 reads of img here leave it; a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
h.defn = img(R, y) + img(-1, y)
