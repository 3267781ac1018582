# Boundary modes that are none, too few, or no number of the type.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:31 {{the boundary is 'wrap', it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number}}
a = Image(Float, "a", [R, C], boundary="wrap")
# expected-error@+1:31 {{the boundary is None, it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number}}
b = Image(Float, "b", [R, C], boundary=None)
# expected-error@+1:31 {{the boundary is 'edge', it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number}}
d = Image(Float, "d", [R, C], boundary=["clamp", "edge"])
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:3 {{the boundary is 'reflect', it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number}}
f.boundary = "reflect"
