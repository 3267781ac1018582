# A TStencil without a Stencil.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{the definition of the TStencil f has no Stencil, it should have one on what the steps start with}}
f = TStencil(([x, y], [r, c]), Float, "f", 3)
f.defn = img(x, y) * 2
