# Updates of several operations have no value in common to begin with: the program says which it is.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Int, "img", [R])
x, v = Variable(Int, "x"), Variable(Int, "v")
h = Reduction(([v], [Interval(Int, 0, 1)]), ([x], [Interval(Int, 0, R - 1)]), Int, "h")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:41 {{this update of h starts from another number than an earlier one of the same elements, h.default should give that number}}
h.defn = [Reduce(h(0), img(x), Op.Max), Reduce(h(0), 1, Sum)]

# Nor is it known which cells an update writes whose index or condition is computed, or what a cell with a case begins with.
i = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "i")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:54 {{this update of i starts from another number than an earlier one of the same elements, i.default should give that number}}
i.defn = [Reduce(i(Min(Max(img(x), 0), 1)), 1, Max), Reduce(i(2), 1, Sum)]
j = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "j")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:33 {{this update of j starts from another number than an earlier one of the same elements, j.default should give that number}}
j.defn = [Reduce(j(0), 1, Sum), Case(img(x) > 0, Reduce(j(1), 1, Max))]
k = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "k")
# expected-note@+2:28 {{the update before it}}
# expected-error@+1:50 {{this update of k starts from another number than an earlier one of the same elements, k.default should give that number}}
k.defn = [Case(v == 3, 7), Reduce(k(0), 1, Sum), Reduce(k(1), 1, Max)]
