# A reduction without a domain to go through.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{the reduction h has no domain to go through, redDom or reductionDomain should give it}}
h = Reduction(([x], [r]), Int)
h.defn = Reduce(h(x), 1, Sum)
