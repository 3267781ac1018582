# A parameter, an image and a variable used for what they are not.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:14 {{dimension 0 of the domain is named by the parameter R, it should be by a variable: ([variables], [intervals])}}
f = Function(([R, y], [r, c]), Float, "f")
# expected-error@+1:14 {{dimension 0 of the domain goes over the variable x, it should go over an interval: ([variables], [intervals])}}
g = Function(([x, y], [x, c]), Float, "g")
# expected-error@+1:32 {{argument 2 of Function is the variable x; it should be Function(([variables], [intervals]), type, "name")}}
h = Function(([x, y], [r, c]), x, "h")
# expected-error@+1:5 {{the parameter R is called, a stage, an image or a function should be}}
k = R(x)
# expected-error@+1:5 {{the variable x is called, a stage, an image or a function should be}}
l = x(1)
