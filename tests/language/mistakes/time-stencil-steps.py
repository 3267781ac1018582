# No number of steps, one of a parameter, and 0.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{a TStencil has no number of steps, it should be TStencil(([variables], [intervals]), type, "name", steps)}}
f = TStencil(([x, y], [r, c]), Float, "f")
# expected-error@+1:44 {{the number of steps is the parameter R, --const R=<integer> should give it}}
g = TStencil(([x, y], [r, c]), Float, "g", R)
# expected-error@+1:44 {{the number of steps is the integer 0, it should be an integer of 1 to 10000}}
h = TStencil(([x, y], [r, c]), Float, "h", 0)
