# 3x3 box blur of 16-bit pixels in two passes: rows, then columns. Sums are of type int, so that they do not wrap before
# the division; out[i][j] is the blur around in[i+1][j+1].
R = Parameter(Int, "R")
C = Parameter(Int, "C")
img = Image(UShort, "img", [R + 2, C + 2])

x = Variable(Int, "x")
y = Variable(Int, "y")
all_rows = Interval(Int, 0, R + 1)
rows = Interval(Int, 1, R)
cols = Interval(Int, 1, C)

bx = Function(([x, y], [all_rows, cols]), UShort, "bx")
bx.defn = [(img(x, y - 1) + img(x, y) + img(x, y + 1)) / 3]

by = Function(([x, y], [rows, cols]), UShort, "by")
by.defn = [(bx(x - 1, y) + bx(x, y) + bx(x + 1, y)) / 3]
