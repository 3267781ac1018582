# The mark "const" is for stages, and no other word is.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:44 {{argument 4 of Function is the string 'constant', the string 'f' is the name already; it should be Function(([variables], [intervals]), type, "name")}}
f = Function(([x, y], [r, c]), Float, "f", "constant")
# expected-error@+1:28 {{argument 4 of Image is the string 'const', the string 'g' is the name already; it should be Image(type, "name", [extents])}}
g = Image(Float, "g", [R], "const")
