# A variable that the stage does not have, in a definition and in a condition.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x], [r]), Float, "f")
# expected-error@+1:17 {{the variable y is not one of the stage f, whose domain should contain it}}
f.defn = img(x, y)
g = Function(([x], [r]), Float, "g")
# expected-error@+1:25 {{the variable y is not one of the stage g, whose domain should contain it}}
g.defn = Case(Condition(y, '<', 1), img(x, 0))
