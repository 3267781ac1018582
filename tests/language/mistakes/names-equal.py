# Parameters, images and stages that are given one name: once a name. Those of variables do not count.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+2:30 {{a parameter is named 'R', which is the name of a parameter already: names should differ}}
# expected-note@+1:5 {{a parameter of that name}}
R = Parameter(Int, "R"); C = Parameter(Int, "R")
# expected-note@+1:7 {{an image of that name}}
img = Image(Float, "f", [4])
x, y = Variable(Int, "x"), Variable(Int, "x")
for i in range(2):
# expected-error@+1:9 {{a stage is named 'f', which is the name of an image already: names should differ}}
    g = Function(([x, y], [Interval(Int, 0, 5), Interval(Int, 0, 5)]), Float, "f")
    g.defn = x + y
