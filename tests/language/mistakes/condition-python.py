# `and`, `or`, `not` and `if` test while the program is read; & | and Select are the language's.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:18 {{a condition is tested while the program is read: '&' should replace 'and', as in (x > 1) & (y > 1)}}
f.defn = Case((x > 1) and (y > 1), img(x, y))
# expected-error@+1:6 {{a condition is tested while the program is read: Case(condition, value) or Select(condition, a, b) should test it}}
if x > 3:
    f.defn = 1
