"""Non-local means, in integers: each pixel is a mean of 21 x 21, weighted by how alike their 7 x 7 neighbours are."""
from picture import *

img = picture(UChar)
H, PATCH, SEARCH = 10, 7, 21
i, j = Variable(Int, "i"), Variable(Int, "j")
patch, REACH = range(-(PATCH // 2), PATCH // 2 + 1), Interval(Int, -(SEARCH // 2), SEARCH // 2)


def offsets(rows, cols):
    """All pairs of a point and another of its search; so many rows and columns more on each side."""
    return [i, j, x, y], [REACH, REACH, Interval(Int, -rows, R - 1 + rows), Interval(Int, -cols, C - 1 + cols)]


ONE = (2 ** 31 - 1) // (SEARCH * SEARCH * 255)
weights = numpy.rint(ONE * numpy.exp(-numpy.arange(600) * 64 / (PATCH * PATCH * H * H)))
weights = Table(Int, numpy.where(weights < ONE / 1000, 0, weights).astype(int), boundary="clamp")

wide = SEARCH // 2 + PATCH // 2
padded = stage(img(x, y), UChar, ([x, y], offsets(wide, wide)[1][2:]))
difference = padded(x, y) - padded(x + i, y + j)
square = stage(difference * difference, Int, offsets(3, 3))
column = stage(sum(square(i, j, x + k, y) for k in patch), Int, offsets(0, 3))
weight = stage(weights(sum(column(i, j, x, y + k) for k in patch) >> 6), Int, offsets(0, 0))
total = Reduction(POINTS, offsets(0, 0), (UInt, UInt))
total.defn = Reduce(total(x, y), (weight(i, j, x, y) * padded(x + i, y + j), weight(i, j, x, y)), Sum)
mean = stage((total(x, y)[0] + total(x, y)[1] / 2) / total(x, y)[1], UChar)
nonlocal_means = pm.compile(mean)


def inputs(photo):
    """With noise, and of at most 600 x 800 points, as this takes so long."""
    photo = gray(photo)[:600, :800]
    return [numpy.clip(photo + numpy.random.default_rng(1).normal(0, 10, photo.shape), 0, 255).astype("uint8")]


def reference(p):
    import cv2

    return cv2.fastNlMeansDenoising(p, None, H, PATCH, SEARCH)


PEER = "cv2.fastNlMeansDenoising"
LARGEST = 0
