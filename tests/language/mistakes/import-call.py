# A call of another module's function that stands alone is left out with a warning; its value cannot be used.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
r, c = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
import numpy as np
# expected-warning@+1:11 {{'shuffle' is not part of the language, this call is left out}}
np.random.shuffle(1)
f = Function(([x, y], [r, c]), Float, "f")
# expected-error@+1:13 {{'eye' of the module numpy is not part of the language (docs/polymage.md), and the program's folder has no such file: a def should replace it}}
f.defn = np.eye(3) + img(x, y)
