# An update that goes beyond its reduction.
# RUN: pm-translate %s --verify-diagnostics --to=pmir --pass-pipeline=schedule
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-note@+1:5 {{the domain of h is { [x] : 0 <= x <= 9 }}}
h = Reduction(([x], [Interval(Int, 0, 9)]), ([y], [Interval(Int, 0, 10)]), Int, "h")
# expected-error@+2:10 {{h(10) is updated for y = 10, R = 1, C = 1, but an update should change h only inside its domain}}
# expected-note@+1:10 {{h stays inside where y <= 9}}
h.defn = Reduce(h(y), 1, Sum)
