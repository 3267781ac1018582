# Extents that are no list; a name that is no string; bounds that are missing or no numbers.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:23 {{argument 3 of Image is the parameter R; it should be Image(type, "name", [extents])}}
a = Image(Float, "a", R, C)
# expected-error@+1:31 {{argument 4 of Image is the string 'clamp', the string 'd' is the name already; it should be Image(type, "name", [extents])}}
d = Image(Float, "d", [R, C], "clamp")
# expected-error@+1:18 {{'e' is not defined, an assignment or --const e=<value> should define it}}
e = Image(Float, e, [R])
# expected-error@+1:19 {{argument 2 of Variable is the variable x; it should be Variable(Int, "name")}}
v = Variable(Int, x)
# expected-error@+1:20 {{argument 2 of Parameter is the parameter R; it should be Parameter(type, "name")}}
p = Parameter(Int, R)
# expected-error@+1:5 {{an interval has 1 bound, it should be Interval(type, lower, upper, step)}}
i = Interval(Int, 0)
# expected-error@+1:5 {{an interval has 1 bound, it should be Interval(type, lower, upper, step)}}
j = Interval(Int, "0", R)
