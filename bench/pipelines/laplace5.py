# Laplacian of 5 x 5 pixels around 128; outside the picture is the nearest pixel.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")

total = 128
for i in range(-2, 3):
    for j in range(-2, 3):
        pixel = img(Min(Max(x + i, 0), R - 1), Min(Max(y + j, 0), C - 1))
        total = total + (-24 * pixel if i == 0 and j == 0 else pixel)

laplace = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UChar, "laplace")
laplace.defn = [Min(Max(total, 0), 255)]
