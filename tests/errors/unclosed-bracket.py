# RUN: refused %t pm-run %s --in img=%data/scene.png --out f=%t/x.png 2>&1 | FileCheck %s --implicit-check-not=error:
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)

f = Function(([x, y], [row, col]), Float, "f")
# CHECK: unclosed-bracket.py:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}
f.defn = [ img(x, y) * (0.5 + 1.0
]
