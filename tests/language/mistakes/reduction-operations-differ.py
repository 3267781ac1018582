# Updates of several operations have no value in common to begin with: the program says which it is.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Int, "img", [R])
x, v = Variable(Int, "x"), Variable(Int, "v")
h = Reduction(([v], [Interval(Int, 0, 1)]), ([x], [Interval(Int, 0, R - 1)]), Int, "h")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:41 {{this update of h begins with another number than the one before it, h.default should give the number to begin with}}
h.defn = [Reduce(h(0), img(x), Op.Max), Reduce(h(0), 1, Sum)]
