# RUN: refused %t pm-run %s --in img=%data/scene.png --out f=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

f = Function(([x, y], [row, col]), Float, "f")
# CHECK: wrong-rank.py:[[@LINE+1]]:[[#]]: error: the image img is read with 1 index, it should be with 2, one a dimension
f.defn = [ img(x) * 0.5 ]
