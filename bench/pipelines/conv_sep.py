# Convolution of five taps a direction, rows first; outside the picture is 0.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
row_weights = [0.0625, 0.25, 0.375, 0.25, 0.0625]
col_weights = [0.1, 0.2, 0.4, 0.2, 0.1]

padded = Function(([x, y], [rows, Interval(Int, -2, C + 1)]), Float, "padded")
padded.defn = [Case((y >= 0) & (y < C), img(x, y))]

along = Function(([x, y], [Interval(Int, -2, R + 1), cols]), Float, "along")
along.defn = [Case((x >= 0) & (x < R), Stencil(padded(x, y), 1, row_weights))]

conv = Function(([x, y], [rows, cols]), Float, "conv")
conv.defn = [Stencil(along(x, y), 1, [[w] for w in col_weights])]
