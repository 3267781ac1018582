# An image without dimensions, one without extents, one of 17 dimensions.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:23 {{an image has 0 dimensions, it should have 1 to 16}}
a = Image(Float, "a", [])
# expected-error@+1:5 {{an image has no extents, the string 'b' is its name; it should be Image(type, "name", [extents])}}
b = Image(Float, "b")
# expected-error@+1:27 {{an image has 17 dimensions, it should have 1 to 16}}
d = Image(Float, "d", [R] * 17)
