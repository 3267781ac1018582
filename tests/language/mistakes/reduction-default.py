# A default that is no number.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([y], [c]), Int, "h")
# expected-error@+1:3 {{the default is the image img, it should be a number}}
h.default = img
h.defn = Reduce(h(0), 1, Sum)
