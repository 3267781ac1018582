# Integers divided by 0, in a value and in an index.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Int, "f")
# expected-warning@+1:12 {{the divisor is 0, it should not be}}
f.defn = x / 0
g = Function(([x, y], [r, c]), Int, "g")
# expected-warning@+1:12 {{the divisor is 0, it should not be}}
g.defn = x % 0
h = Function(([x, y], [r, c]), Float, "h")
# expected-warning@+1:24 {{the divisor is 0, it should not be}}
h.defn = img(Min(Max(x // 0, 0), 0), y)
