# RUN: refused %t pm-run %s --in img=%data/scene.png --out h=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

f = Function(([x, y], [row, col]), Float, "f")
g = Function(([x, y], [row, col]), Float, "g")
# CHECK: cycle.py:{{[0-9]+}}:{{[0-9]+}}: error: stages read one another in a circle: g is read by f, which is read by g
f.defn = [ g(x, y) + img(x, y) ]
g.defn = [ f(x, y) * 0.5 ]
h = Function(([x, y], [row, col]), Float, "h")
h.defn = [ g(x, y) ]
