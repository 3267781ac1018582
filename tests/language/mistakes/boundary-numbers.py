# One mode for two dimensions, and a number that the type does not hold.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{the boundary of the image a has 1 mode, it should have 2, one a dimension, or be one mode}}
a = Image(Float, "a", [R, C], boundary=["clamp"])
# expected-warning@+1:5 {{the boundary of the image b is 300, it should be a number that the type UChar holds}}
b = Image(UChar, "b", [R, C], boundary=300)
# expected-warning@+1:5 {{the boundary of the image d is -1.5e+09, it should be a number that the type Char holds}}
d = Image(Char, "d", [R, C], boundary=["mirror", -1.5e9])
# expected-error@+1:5 {{the boundary of the stage f has 3 modes, it should have 2, one a dimension, or be one mode}}
f = Function(([x, y], [r, c]), UChar, "f", boundary=["clamp", "clamp", "clamp"])
f.defn = a(x, y) + b(x, y) + d(x, y)
