# Assertions that are not about integer parameters, or hold in no call.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, s = Parameter(Int, "R"), Parameter(Float, "s")
img = Image(Int, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R - 1)]), Int, "f")
f.defn = img(x)
# expected-error@+1:10 {{the constraint is not affine, because of a parameter that is not an integer; it should be affine in the parameters}}
assert s > 0
# expected-error@+1:8 {{the constraint is not affine, because of a value of a stage or image; it should be affine in the parameters}}
assert img(0) > 0
# expected-error@+1:10 {{the constraint is not affine, because of a product of two expressions; it should be affine in the parameters}}
assert R * R > 4
# expected-error@+1:10 {{the constraint is not affine, because of a variable; it should be affine in the parameters}}
assert x >= 0
