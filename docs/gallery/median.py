"""The median of 5 x 5 values."""
from picture import *

img = picture(UChar, boundary="clamp")


def sort(values):
    v = list(values)
    for end in range(len(v) - 1, 0, -1):
        for i in range(end):
            v[i], v[i + 1] = Min(v[i], v[i + 1]), Max(v[i], v[i + 1])
    return v


column = stage(tuple(sort(img(x + k, y) for k in range(-2, 3))), (UChar,) * 5, boundary="clamp")
rows = [sort(column(x, y + k)[i] for k in range(-2, 3)) for i in range(5)]  # the least of columns, the next, …
maybe = [rows[i][j] for i in range(5) for j in range(5) if max((i + 1) * (j + 1), (5 - i) * (5 - j)) < 14]
middle = stage(sort(maybe)[6], UChar)  # of the others, six are not greater, and six not less
median = pm.compile(middle)


def inputs(photo):
    """With salt and pepper: of twenty points, one is white or black."""
    chance = numpy.random.default_rng(1).random(photo.shape[:2])
    return [numpy.where(chance < 0.025, 0, numpy.where(chance > 0.975, 255, gray(photo))).astype("uint8")]


def reference(p):
    import cv2

    return cv2.medianBlur(p, 5)


PEER = "cv2.medianBlur"
LARGEST = 0
