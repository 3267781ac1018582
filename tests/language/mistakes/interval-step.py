# Steps of 0, below 0, and of a parameter.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:29 {{the step of an interval is 0, it should be an integer of at least 1}}
a = Interval(Int, 0, R - 1, 0)
# expected-error@+1:29 {{the step of an interval is -2, it should be an integer of at least 1}}
b = Interval(Int, 0, R - 1, -2)
# expected-error@+1:29 {{the step of an interval is the parameter R, it should be an integer of at least 1}}
d = Interval(Int, 0, R - 1, R)
f = Function(([x, y], [a, d]), Float, "f")
f.defn = 1
# expected-error@+1:29 {{the step of an interval is 2147483648, it should be at most 2147483647}}
h = Interval(Int, 0, R - 1, 2147483648)
