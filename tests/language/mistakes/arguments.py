# An argument that is missing, one too many, a keyword that is not one, and one given twice.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{Condition has 2 arguments, it should be Condition(left, '<', right), or left < right alone}}
a = Condition(x, '<')
# expected-error@+1:28 {{argument 5 of Interval is the integer 3; it should be Interval(type, lower, upper, step)}}
b = Interval(Int, 0, 1, 2, 3)
# expected-error@+1:5 {{Select has 2 arguments, it should be Select(condition, a, b)}}
d = Select(Condition(x, '<', 1), 1)
# expected-error@+1:33 {{Function has no argument 'colour', it should be Function(([variables], [intervals]), type, "name")}}
e = Function(([x], [r]), Float, colour = "e")
# expected-error@+1:5 {{Case has 1 argument, it should be Case(condition, expression)}}
f = Case(Condition(x, '<', 1))
