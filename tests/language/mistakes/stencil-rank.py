# A kernel of more dimensions than what it lies on; an image of more dimensions than the stage.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:10 {{the kernel has 3 dimensions, it should have at most 2 as img}}
f.defn = Stencil(img(x, y), 1, [[[1]]])
g = Function(([x], [r]), Float, "g")
# expected-error@+1:10 {{the kernel has 2 dimensions, it should have at most 1 as the domain it goes over}}
g.defn = Stencil(img, 1, [[1, 2]])
