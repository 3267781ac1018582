# Two outputs with one domain, and so one box; a stage that both read, with a boundary. A third output has a box of its own.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
d = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
s = Function(d, Int, "s", boundary="clamp")
s.defn = [ img(x - 1, y) + img(x + 1, y) ]
f = Function(d, Int, "f")
f.defn = [ s(x - 1, y) + s(x + 1, y) ]
g = Function(d, Int, "g")
g.defn = [ s(x, y - 1) + s(x, y + 1) ]
h = Function(([x], [Interval(Int, 0, R - 1)]), Int, "h")
h.defn = [ s(x, 0) ]
