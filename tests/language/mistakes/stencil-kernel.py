# Rows that differ in length, an empty kernel, and one that is no list.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:32 {{the rows of the kernel differ in length, they should be equally long}}
f.defn = Stencil(img(x, y), 1, [[1, 2], [3]])
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:32 {{the kernel is empty or nested too deep, it should be a list of lists of numbers}}
g.defn = Stencil(img(x, y), 1, [])
k = Function(([x, y], [r, c]), Float, "k")
# expected-error@+1:32 {{the kernel is the integer 3, it should be a list of lists of numbers}}
k.defn = Stencil(img(x, y), 1, 3)
