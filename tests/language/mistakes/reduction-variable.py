# An update reads the reduction's own variable, which has no value there.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([y], [c]), Float, "h")
# expected-error@+1:19 {{the variable x is not one of the updates of h, whose reduction domain should contain it}}
h.defn = Reduce(h(x), img(0, y), Sum)
