# More variables than intervals, a variable twice, and a domain that is no pair.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:14 {{the domain has 2 variables and 1 interval, there should be as many}}
f = Function(([x, y], [r]), Float, "f")
# expected-error@+1:14 {{dimensions 0 and 1 of the domain have the variable x, each should have its own}}
g = Function(([x, x], [r, c]), Float, "g")
# expected-error@+1:14 {{the domain is the list [x, y], it should be of two lists: ([variables], [intervals])}}
h = Function([x, y], Float, "h")
