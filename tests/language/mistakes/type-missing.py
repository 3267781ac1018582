# A parameter, a stage, an image and a Cast without a type.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{a parameter has no type, it should be Parameter(type, "name")}}
k = Parameter("k")
# expected-error@+1:5 {{a stage has no type, it should be Function(([variables], [intervals]), type, "name")}}
f = Function(([x], [r]), "f")
# expected-error@+1:5 {{an image has no type, it should be Image(type, "name", [extents])}}
a = Image("a", [R])
# expected-error@+1:10 {{Cast is to an integer, it should be to a type}}
b = Cast(3, x)
