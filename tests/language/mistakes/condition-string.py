# A condition as text, a relation that Python does not know either, one argument, and a value that is not compared.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:15 {{the condition is the string 'x > 1', it should be a comparison: x < 3, or Condition(x, '<', 3)}}
f.defn = Case("x > 1", img(x, y))
# expected-error@+1:28 {{the relation is the string '=', it should be one of '==' '!=' '<' '<=' '>' '>='}}
f.defn = Case(Condition(x, '=', 1), img(x, y))
# expected-error@+1:15 {{Condition has 1 argument, it should be Condition(left, '<', right), or left < right alone}}
f.defn = Case(Condition(x > 1), img(x, y))
# expected-error@+1:10 {{Case has 3 arguments, it should be Case(condition, expression)}}
f.defn = Case(x > 1, img(x, y), 0)
# expected-error@+1:15 {{the condition is a value of img, it should be a comparison: x < 3, or Condition(x, '<', 3)}}
f.defn = Case(img(x, y), 1)
# expected-error@+1:17 {{the condition is the string 'x > 1', it should be a comparison: x < 3, or Condition(x, '<', 3)}}
f.defn = Select("x > 1", img(x, y), 0)
