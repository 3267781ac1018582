"""The guided filter of He, Sun and Tang, with the picture as its own guide: it smooths, and keeps edges."""
from picture import *

img = picture()
p = img(x, y)
mean, square = box(p, 9), box(p * p, 9)
variance = square - mean * mean
a = variance / (variance + 0.01)
b = mean * (1 - a)
guided = stage(box(a, 9) * p + box(b, 9))
guided_filter = pm.compile(guided)


def inputs(photo):
    return [unit(gray(photo))]


def reference(p):
    """OpenCV's box filters and NumPy, as OpenCV itself has no such filter without its extra modules."""
    import cv2

    mean, square = cv2.boxFilter(p, -1, (9, 9)), cv2.boxFilter(p * p, -1, (9, 9))
    variance = square - mean * mean
    a = variance / (variance + numpy.float32(0.01))
    b = mean * (1 - a)
    return cv2.boxFilter(a, -1, (9, 9)) * p + cv2.boxFilter(b, -1, (9, 9))


PEER = "cv2.boxFilter, NumPy"
LARGEST = 1e-5
