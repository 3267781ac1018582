# An image and a stage without indices.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:14 {{an operand of '+' is the image img without indices, they should follow in parentheses: img(…)}}
f.defn = img + 1
g = Function(([x, y], [r, c]), Float, "g")
# expected-error@+1:12 {{an operand of '*' is the stage f without indices, they should follow in parentheses: f(…)}}
g.defn = f * 2
