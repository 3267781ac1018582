# A function of the program, or the text of one, as the definition.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
def add(a, b):
    return img(a, b) + 1


f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:3 {{the definition is the function add, it should be a number or an expression}}
f.defn = add
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:3 {{the definition is a lambda function, it should be a number or an expression}}
g.defn = lambda x, y: img(x, y)
h = Function(([x, y], [r, c]), Float, "h")
# expected-error@+1:3 {{the definition is a condition, Select(condition, 1, 0) should make a value of it}}
h.defn = img(x, y) > 0.5
k = Function(([x, y], [r, c]), Float, "k")
# expected-error@+1:3 {{the definition is the image img without indices, they should follow in parentheses: img(…)}}
k.defn = img
