# A parameter, an image and a variable used for what they are not.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:14 {{dimension 0 of the domain is named by a parameter, a variable should name it}}
f = Function(([R, y], [r, c]), Float, "f")
# expected-error@+1:14 {{dimension 0 of the domain goes over a variable, it should go over an interval}}
g = Function(([x, y], [x, c]), Float, "g")
# expected-error@+1:32 {{Function is given a variable, it should be Function(([variables], [intervals]), type, "name")}}
h = Function(([x, y], [r, c]), x, "h")
# expected-error@+1:5 {{a parameter is called, a stage, an image or a function should be}}
k = R(x)
# expected-error@+1:5 {{a variable is called, a stage, an image or a function should be}}
l = x(1)
