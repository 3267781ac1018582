# A stage with a boundary mode, read at both ends: the hull of what its reads need has a bound that some of them lack.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
a = Function(([x, y], [rows, columns]), Float, "a", boundary="clamp")
a.defn = [Sqrt(img(x, y - 1) + img(x, y + 1))]
b = Function(([x, y], [rows, columns]), Float, "b")
b.defn = [a(x - 2, y) + a(x - 1, y) + a(x, y) + a(x + 1, y)]
