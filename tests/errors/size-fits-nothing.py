# The picture is 240x320; no N makes an N x N array of it.
# RUN: refused %t pm-run %s --in img=%data/scene.png --out f=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
# CHECK: error: {{.*}}img{{.*}}
N = Parameter(Int, "N")
img = Image(Float, "img", [N, N])
x, y = Variable(Int, "x"), Variable(Int, "y")
all = Interval(Int, 0, N-1)

f = Function(([x, y], [all, all]), Float, "f")
f.defn = [ img(x, y) * 0.5 ]
