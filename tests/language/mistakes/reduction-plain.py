# A reduction that is defined as a function is: that goes over its own variables only.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([x, y], [r, c]), Float, "h")
# expected-error@+1:24 {{the variable y is one of the updates of h, only Reduce(h(…), value, Sum) should use it}}
h.defn = h(x) + img(x, y)
