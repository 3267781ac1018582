# A stage that reads the point that it computes.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:10 {{f(0, 0) is read by f itself for x = 0, y = 0, R = 1, C = 1, but points are computed in lexicographic order and a case should read only earlier ones, or ones that no case covers}}
f.defn = f(x, y) + img(x, y)
