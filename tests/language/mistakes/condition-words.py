# The words of Python that test: or, not, a choice in a line, while, and a variable or parameter by itself.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:18 {{a condition is tested while the program is read: '|' should replace 'or', as in (x < 1) | (x > 8)}}
f.defn = Case((x < 1) or (x > 8), img(x, y))
# expected-error@+1:15 {{a condition is tested while the program is read: the opposite comparison should be written, x <= 1 for not x > 1}}
f.defn = Case(not (x > 1), img(x, y))
# expected-error@+1:25 {{a condition is tested while the program is read: Select(condition, a, b) should test it}}
f.defn = img(x, y) if x > 1 else 0
# expected-error@+1:9 {{a condition is tested while the program is read: Case(condition, value) or Select(condition, a, b) should test it}}
while x < 3:
    f.defn = 1
# expected-error@+1:4 {{the parameter R is tested while the program is read: Case(condition, value) or Select(condition, a, b) should test it}}
if R:
    f.defn = 2
# expected-error@+1:4 {{a value of img is tested while the program is read: Case(condition, value) or Select(condition, a, b) should test it}}
if img(0, 0):
    f.defn = 3
