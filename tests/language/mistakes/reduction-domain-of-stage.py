# A stage that is no reduction gets a domain to go through.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x], [r]), Int, "f")
# expected-error@+1:3 {{a stage that is no reduction gets a reduction domain, Reduction or Accumulator should make it}}
f.redDom = ([y], [c])
f.defn = 1
