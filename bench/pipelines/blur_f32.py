# 3x3 box blur of floats in two passes: rows, then columns.
R = Parameter(Int, "R")
C = Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])

x = Variable(Int, "x")
y = Variable(Int, "y")
all_rows = Interval(Int, 0, R + 1)
rows = Interval(Int, 1, R)
cols = Interval(Int, 1, C)

bx = Function(([x, y], [all_rows, cols]), Float, "bx")
bx.defn = [(img(x, y - 1) + img(x, y) + img(x, y + 1)) / 3]

by = Function(([x, y], [rows, cols]), Float, "by")
by.defn = [(bx(x - 1, y) + bx(x, y) + bx(x + 1, y)) / 3]
