# A relation that is none.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:18 {{the relation is the string '=<', it should be one of '==' '!=' '<' '<=' '>' '>='}}
a = Condition(x, '=<', 1)
