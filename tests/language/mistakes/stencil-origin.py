# An origin of another number of dimensions than the kernel, and one that is no list.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:49 {{the origin has 1 dimension, it should have 2 as the kernel}}
f.defn = Stencil(img, [x, y], [[1, 1], [1, 1]], [0])
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:49 {{the origin is the integer 1, it should be a list of 2 integers}}
g.defn = Stencil(img, [x, y], [[1, 1], [1, 1]], 1)
