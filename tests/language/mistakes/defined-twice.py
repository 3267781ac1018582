# A stage with two definitions of all its points: one after the other, in a list, in a loop.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-note@+1:10 {{the first definition is here}}
f.defn = img(x, y)
# expected-error@+1:20 {{the stage f has a definition for all points already, Case(condition, value) should say where each holds}}
f.defn = img(x, y) * 2
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+2:32 {{the stage g has a definition for all points already, Case(condition, value) should say where each holds}}
# expected-note@+1:11 {{the first definition is here}}
g.defn = [img(x, y), img(x, y) * 2]
h = Function(([x, y], [r, c]), Float, "h")
for l in range(3):
# expected-error@+2:24 {{the stage h has a definition for all points already, Case(condition, value) should say where each holds}}
# expected-note@+1:24 {{the first definition is here}}
    h.defn = img(x, y) * l
