# Extents of 0, of a product of parameters, of variables, and of a parameter that counts nothing.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:23 {{the extent of an image is 0, it should be at least 1}}
a = Image(Float, "a", [0])
# expected-error@+1:26 {{the extent of an image has a product of two expressions, it should be affine in integer parameters, as 2 * R + C - 1 is}}
b = Image(Float, "b", [R * C])
# expected-error@+1:23 {{the extent of an image has the variable x, it should be affine in integer parameters, as 2 * R + C - 1 is}}
d = Image(Float, "d", [x, C])
s = Parameter(Float, "s")
# expected-error@+1:23 {{the extent of an image has the parameter s, which is no integer, it should be affine in integer parameters, as 2 * R + C - 1 is}}
e = Image(Float, "e", [s])
f = Function(([x], [r]), Float, "f")
f.defn = a(x) + b(x)
