# A read one row above the image.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
# expected-note@+1:7 {{the domain of img is { [i, j] : 0 <= i < R and 0 <= j < C }}}
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+2:10 {{img(-1, 0) is read for x = 0, y = 0, R = 1, C = 1, but f should read img only inside its domain}}
# expected-note@+1:10 {{f stays inside where x > 0; a boundary mode of img, such as boundary="clamp", gives all points outside a value}}
f.defn = img(x - 1, y)
