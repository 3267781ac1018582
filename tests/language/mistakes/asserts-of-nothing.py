# No size is allowed.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R = Parameter(Int, "R")
img = Image(Int, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R - 1)]), Int, "f")
f.defn = img(x)
assert R > 5
# expected-error@+1:10 {{what is required of the parameters holds for no values of them, some should be left}}
assert R < 3
