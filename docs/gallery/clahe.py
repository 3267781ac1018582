"""Contrast-limited adaptive histogram equalization: each pixel is between the curves of four tiles."""
from itertools import product

from picture import *

img = picture(UChar)
T = 64
LIMIT = 2 * T * T // 256
i, j, u, v, w = [Variable(Int, name) for name in "ijuvw"]
TILES = [Interval(Int, 0, (R - 1) // T), Interval(Int, 0, (C - 1) // T)]
CURVES = ([i, j, v], [*TILES, Interval(Int, 0, 255)])

hist = Reduction(CURVES, ([i, j, u, w], [*TILES, Interval(Int, 0, T - 1), Interval(Int, 0, T - 1)]), Int)
hist.defn = Reduce(hist(i, j, img(i * T + u, j * T + w)), 1, Sum)
excess = Reduction(([i, j], TILES), CURVES, Int)
excess.defn = Reduce(excess(i, j), Max(hist(i, j, v) - LIMIT, 0), Sum)

rest = excess(i, j) % 256  # pixels that go to one value each, evenly spread
step = 256 // Max(rest, 1)
one_more = Select((v % step == 0) & (v // step < rest), 1, 0)
clipped = stage(Min(hist(i, j, v), LIMIT) + excess(i, j) // 256 + one_more, Int, CURVES)
cdf = Function(CURVES, Int)
cdf.defn = [Case(v == 0, clipped(i, j, v)), Case(v > 0, cdf(i, j, v - 1) + clipped(i, j, v))]


def divided(n, unit):
    """Rounded; halves to the even number."""
    return (n + unit // 2 - 1 + n // unit % 2) // unit


curve = stage(divided(cdf(i, j, v) * 255, T * T), Int, CURVES, boundary="clamp")
part_x, part_y = (x - T // 2) % T, (y - T // 2) % T
between = sum(curve((x - T // 2) // T + i, (y - T // 2) // T + j, img(x, y)) *
              (part_x if i else T - part_x) * (part_y if j else T - part_y) for i, j in product((0, 1), repeat=2))
equalized = stage(divided(between, T * T), UChar)
clahe = pm.compile(equalized)


def inputs(photo):
    return [gray(photo)]


def reference(p):
    import cv2

    return cv2.createCLAHE(2, (p.shape[1] // T, p.shape[0] // T)).apply(p)


PEER = "cv2.createCLAHE"
LARGEST = 0
DIFFERS = "OpenCV has equal tiles. They are of 64 x 64 only in pictures of whole tiles, as this one."
