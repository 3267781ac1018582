# Two stages that read each other.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{every stage is read by a stage, one that leaves the pipeline should not be}}
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
f = Function(([x, y], [r, c]), Float, "f")
g = Function(([x, y], [r, c]), Float, "g")
f.defn = g(x, y) + img(x, y)
g.defn = f(x, y) * 0.5
