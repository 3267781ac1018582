# A float parameter in a bound.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
t = Parameter(Float, "t")
# expected-error@+1:38 {{the upper bound of an interval has the parameter t, which is no integer, it should be affine in integer parameters, as 2 * R + C - 1 is}}
f = Function(([x], [Interval(Int, 0, t)]), Float, "f")
f.defn = 1
