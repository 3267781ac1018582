# A recurrence that reads earlier and later points.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:53 {{f(2, 0) is read by f itself for x = 1, y = 0, R = 3, C = 1, but points are computed in lexicographic order and a case should read only earlier ones, or ones that no case covers}}
f.defn = [Case((x < R - 1) & (x > 0), f(x - 1, y) + f(x + 1, y)), Case((x == R - 1) | (x == 0), img(x, y))]
