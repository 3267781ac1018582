# Reads to one side of a point only, of a stage with a boundary.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="clamp")
x, y = Variable(Int, "x"), Variable(Int, "y")
d = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
s = Function(d, Int, "s", boundary="clamp")
s.defn = [ img(x, y-1) +2*img(x,y)+img(x,y+1) ]
f = Function(d, Int, "f")
f.defn = [ s(x +1, y) + s(x + 2, y) ]
