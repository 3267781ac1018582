# The length of the gradient by Sobel's operators; outside the picture is the nearest pixel.
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")


def at(i, j):
    return img(Min(Max(x + i, 0), R - 1), Min(Max(y + j, 0), C - 1))


# The derivative along the first of the two directions that `at` takes.
def derivative(at):
    return (at(1, -1) - at(-1, -1)) + 2 * (at(1, 0) - at(-1, 0)) + (at(1, 1) - at(-1, 1))


gx, gy = derivative(at), derivative(lambda i, j: at(j, i))
sobel = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "sobel")
sobel.defn = [Sqrt(gx * gx + gy * gy)]
