# Bounds that are not affine in the parameters: a product, a variable, a float, a value.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:40 {{the upper bound of an interval has a product of two expressions, it should be affine in integer parameters, as 2 * R + C - 1 is}}
a = Function(([x], [Interval(Int, 0, R * C)]), Float, "a")
# expected-error@+1:38 {{the upper bound of an interval has the variable y, it should be affine in integer parameters, as 2 * R + C - 1 is}}
b = Function(([x], [Interval(Int, 0, y)]), Float, "b")
# expected-error@+1:38 {{the upper bound of an interval has a number that is not an integer, it should be affine in integer parameters, as 2 * R + C - 1 is}}
d = Function(([x], [Interval(Int, 0, 2.5)]), Float, "d")
# expected-error@+1:38 {{the upper bound of an interval has a value of img, it should be affine in integer parameters, as 2 * R + C - 1 is}}
e = Function(([x], [Interval(Int, 0, img(0, 0))]), Float, "e")
for f in [a, b, d, e]:
    f.defn = 1
