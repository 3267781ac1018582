# Two cases that share a row.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-note@+1:11 {{the earlier case is here}}
f.defn = [Case(Condition(x, '<=', 10), img(x, y)),
# expected-error@+1:11 {{the case overlaps an earlier one of f at x = 10, y = 0 for R = 11, C = 1, cases should exclude each other}}
          Case(Condition(x, '>=', 10), -img(x, y))]
