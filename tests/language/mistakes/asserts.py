# Assertions that are not about integer parameters, or hold in no call.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, s = Parameter(Int, "R"), Parameter(Float, "s")
img = Image(Int, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R - 1)]), Int, "f")
f.defn = img(x)
# expected-error@+1:10 {{the constraint has the parameter s, which is no integer, it should be affine in integer parameters, as R >= 2 * C - 1 is}}
assert s > 0
# expected-error@+1:8 {{the constraint has a value of img, it should be affine in integer parameters, as R >= 2 * C - 1 is}}
assert img(0) > 0
# expected-error@+1:10 {{the constraint has a product of two expressions, it should be affine in integer parameters, as R >= 2 * C - 1 is}}
assert R * R > 4
# expected-error@+1:10 {{the constraint has the variable x, it should be affine in integer parameters, as R >= 2 * C - 1 is}}
assert x >= 0
