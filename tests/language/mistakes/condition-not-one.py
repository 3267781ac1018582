# What is no condition, where one should be; a condition where a value should be.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:16 {{the condition is the variable x, it should be a comparison: x < 3, or Condition(x, '<', 3)}}
f.defn = [Case(x, img(x, y))]
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:31 {{an operand of '+' is a condition, Select(condition, 1, 0) should make a value of it}}
g.defn = Condition(x, '<', 3) + 1
h = Function(([x, y], [r, c]), Float, "h")
# expected-error@+1:17 {{the condition is the integer 1, it should be a comparison: x < 3, or Condition(x, '<', 3)}}
h.defn = Select(1, img(x, y), 0)
