"""The bilateral grid of Chen, Paris and Durand: cells of 8 x 8 points and of a tenth of the values are blurred."""
from itertools import product

from picture import *

img = picture()
S, Q = 8, 10
i, j, k = Variable(Int, "i"), Variable(Int, "j"), Variable(Int, "k")
CELLS = ([c, i, j, k], [Interval(Int, 0, n) for n in (1, (R + S - 1) // S, (C + S - 1) // S, Q + 1)])


def level(value):
    return Min(Max(Cast(Int, value), 0), Q)


def blur(f, *shape):
    return stage(Stencil(f(c, i, j, k), 1 / 16, numpy.reshape([1, 4, 6, 4, 1], shape)), points=CELLS, boundary=0)


grid = Reduction(CELLS, POINTS, Float, boundary=0)
cell = (x + S // 2) // S, (y + S // 2) // S, level(img(x, y) * Q + 0.5)
grid.defn = [Reduce(grid(0, *cell), img(x, y), Sum), Reduce(grid(1, *cell), 1, Sum)]
blurred = blur(blur(blur(grid, 1, 1, 5), 1, 5, 1), 5, 1, 1)

low = level(img(x, y) * Q)
parts = Cast(Float, x % S) / S, Cast(Float, y % S) / S, img(x, y) * Q - low
total = [0, 0]
for at in product((0, 1), repeat=3):
    weight = numpy.prod([part if upper else 1 - part for part, upper in zip(parts, at)])
    for plane in (0, 1):
        total[plane] += weight * blurred(plane, x // S + at[0], y // S + at[1], low + at[2])
smooth = stage(total[0] / total[1])
bilateral_grid = pm.compile(smooth)


def inputs(photo):
    return [unit(gray(photo))]


def reference(p):
    """The filter that the grid is an approximation of."""
    import cv2

    return cv2.bilateralFilter(p, 0, 0.112, 8.9)


PEER = "cv2.bilateralFilter"
LARGEST, SHARE = 0.03, 0.01
DIFFERS = ("OpenCV computes the filter itself, which the grid approximates. Its variances are 1.25 cells: 1 of the blur, "
           "and 0.25 of sums in cells and of reading between them.")
