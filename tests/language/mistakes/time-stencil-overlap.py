# Two cases of a TStencil that share points.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = TStencil(([x, y], [r, c]), Float, "f", 4)
# expected-error@+2:59 {{the case overlaps an earlier one of f at x = 3, y = 1 for R = 4, C = 3, cases should exclude each other}}
# expected-note@+1:11 {{the earlier case is here}}
f.defn = [Case(x > 2, Stencil(img, [x, y], [[1, 1, 1]])), Case(x > 1, Stencil(img, [x, y], [[1, 1, 1]]))]
