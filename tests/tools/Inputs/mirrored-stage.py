# A window of a stage that is mirrored, with no assertion on sizes.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
d = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
s = Function(d, Float, "s", boundary="mirror101")
s.defn = [ img(x, y) + img(x, y + 1) ]
f = Function(d, Float, "f")
f.defn = [ Stencil(s(x, y), 1.0 / 25, [[1] * 5] * 5) ]
