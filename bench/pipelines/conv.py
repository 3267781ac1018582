# Convolution with a mask of 5 x 5 integers that the call gives; outside the picture is the nearest pixel.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
mask = Image(Int, "mask", [5, 5])
x, y = Variable(Int, "x"), Variable(Int, "y")

total = 0
for i in range(-2, 3):
    for j in range(-2, 3):
        total = total + img(Min(Max(x + i, 0), R - 1), Min(Max(y + j, 0), C - 1)) * mask(i + 2, j + 2)

conv = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UChar, "conv")
conv.defn = [Min(Max(total, 0), 255)]
