# Sampling by the wrong factor: up from a picture half as large, down from one that is as large.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
# expected-note@+1:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-note@+1:8 {{the domain of half is { [x, y] : 0 <= x <= floor((R)/2) - 1 and 0 <= y <= C - 1 }}}
half = Function(([x, y], [Interval(Int, 0, R / 2 - 1), c]), Float, "half")
half.defn = img(2 * x, y)
up = Function(([x, y], [r, c]), Float, "up")
# expected-error@+2:11 {{half(0, 0) is read for x = 0, y = 0, R = 1, C = 1, but up should read half only inside its domain}}
# expected-note@+1:11 {{up stays inside where 2*x <= R - 2; a boundary mode of half, such as boundary="clamp", gives all points outside a value}}
up.defn = half(x, y)
down = Function(([x, y], [r, c]), Float, "down")
# expected-error@+2:13 {{img(2, 0) is read for x = 1, y = 0, R = 2, C = 1, but down should read img only inside its domain}}
# expected-note@+1:13 {{down stays inside where 2*x < R; a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
down.defn = img(2 * x, y)
