# Updates of several operations have no value in common to begin with: the program says which it is.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Int, "img", [R])
x, v = Variable(Int, "x"), Variable(Int, "v")
h = Reduction(([v], [Interval(Int, 0, 1)]), ([x], [Interval(Int, 0, R - 1)]), Int, "h")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:41 {{this update of h begins with another number than one before it that may write the same cells, h.default should give the number to begin with}}
h.defn = [Reduce(h(0), img(x), Op.Max), Reduce(h(0), 1, Sum)]

# Nor is it known which cells an update writes whose index or condition is computed, or what a cell with a case begins with.
i = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "i")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:54 {{this update of i begins with another number than one before it that may write the same cells, i.default should give the number to begin with}}
i.defn = [Reduce(i(Min(Max(img(x), 0), 1)), 1, Max), Reduce(i(2), 1, Sum)]
j = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "j")
# expected-note@+2:11 {{the update before it}}
# expected-error@+1:33 {{this update of j begins with another number than one before it that may write the same cells, j.default should give the number to begin with}}
j.defn = [Reduce(j(0), 1, Sum), Case(img(x) > 0, Reduce(j(1), 1, Max))]
k = Reduction(([v], [Interval(Int, 0, 3)]), ([x], [Interval(Int, 0, R - 1)]), Int, "k")
# expected-note@+2:28 {{the update before it}}
# expected-error@+1:50 {{this update of k begins with another number than one before it that may write the same cells, k.default should give the number to begin with}}
k.defn = [Case(v == 3, 7), Reduce(k(0), 1, Sum), Reduce(k(1), 1, Max)]
