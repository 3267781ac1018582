# Extents of 0 and of a product of parameters.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:23 {{the extent of an image is 0, it should be at least 1}}
a = Image(Float, "a", [0])
# expected-error@+1:26 {{the extent of an image has a product of two expressions, it should be affine in the parameters}}
b = Image(Float, "b", [R * C])
f = Function(([x], [r]), Float, "f")
f.defn = a(x) + b(x)
