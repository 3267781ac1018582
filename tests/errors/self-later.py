# A recurrence may only read what was computed before: in one order or the other.
# RUN: refused %t pm-run %s --in img=%data/scene.png --out f=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

f = Function(([x, y], [row, col]), Float, "f")
# CHECK: self-later.py:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}f
f.defn = [ Case((x > 0) & (x < R-1), f(x-1, y) + f(x+1, y)), Case((x == 0) | (x == R-1), img(x, y)) ]
