# A stage is not defined as a stage but as a number, a list and a string.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:3 {{the definition is the string 'img', it should be a number or an expression}}
f.defn = "img"
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:3 {{the definition is the list [an expression], it should be a number or an expression}}
g.defn = [[img(x, y)]]
h = Function(([x, y], [r, c]), Float, "h")
# expected-error@+1:3 {{the definition is None, it should be a number or an expression}}
h.defn = None
