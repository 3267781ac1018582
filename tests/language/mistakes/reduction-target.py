# An update of another stage, of a stage that is no reduction, and of no point.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
h = Reduction(([x], [r]), ([y], [c]), Int, "h")
k = Reduction(([x], [r]), ([y], [c]), Int, "k")
# expected-error@+1:10 {{the update goes to another stage, it should go to the one that it defines}}
h.defn = Reduce(k(0), 1, Sum)
# expected-error@+1:17 {{Reduce goes to the stage k, it should go to a point of a reduction: Reduce(h(x), value, Sum)}}
k.defn = Reduce(k, 1, Sum)
f = Function(([x], [r]), Int, "f")
# expected-error@+1:3 {{a stage that is no reduction is updated, Reduction or Accumulator should make it}}
f.defn = Reduce(f(x), 1, Sum)
