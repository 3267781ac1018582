# Comparisons in a chain, and & without parentheses, which binds more tightly.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:17 {{a condition is tested while the program is read: comparisons in a chain should be joined by '&', as in (0 <= x) & (x < 9)}}
f.defn = Case(0 < x < R - 1, img(x, y))
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:17 {{a condition is tested while the program is read: comparisons that '&' and '|' join should be in parentheses, as in (x > 0) & (y > 0)}}
g.defn = Case(x > 0 & y > 0, img(x, y))
