# A TStencil that lies on itself, one on an image of another rank, and one with a value for a condition.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{the TStencil f lies on itself, it should lie on what it starts with}}
f = TStencil(([x, y], [r, c]), Float, "f", 2)
f.defn = Stencil(f, [x, y], [[1, 1, 1]])
line = Image(Float, "line", [R])
# expected-error@+1:5 {{the TStencil g has 2 dimensions, line, which it starts with, has 1; they should be as many}}
g = TStencil(([x, y], [r, c]), Float, "g", 2)
g.defn = Stencil(line, [x], [1, 1, 1])
