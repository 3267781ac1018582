# RUN: refused %t pm-run %s --in img=%data/scene.png --out blurred=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

blurred = Function(([x, y], [row, col]), Float, "blurred")
# CHECK: outside-domain.py:[[@LINE+2]]:[[#]]: error: img(-1, 0) is read
# CHECK: note: {{.*}}domain of img
blurred.defn = [ (img(x-1, y) + img(x, y)) * 0.5 ]
