# A parameter, a stage, an image and a Cast without a type.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
# expected-error@+1:5 {{a parameter has no type, the string 'k' is its name; it should be Parameter(type, "name")}}
k = Parameter("k")
# expected-error@+1:5 {{a stage has no type, the string 'f' is its name; it should be Function(([variables], [intervals]), type, "name")}}
f = Function(([x], [r]), "f")
# expected-error@+1:5 {{an image has no type, the string 'a' is its name; it should be Image(type, "name", [extents])}}
a = Image("a", [R])
# expected-error@+1:10 {{Cast is to the integer 3; it should be Cast(type, expression)}}
b = Cast(3, x)
