"""A step of optical flow by Lucas and Kanade: how far each point moved, as the 15 x 15 points around it say."""
from picture import *

first, second = picture(name="first"), picture(name="second")
sobel = numpy.outer([-1, 0, 1], [1, 2, 1])
dx, dy = Stencil(first(x, y), 1 / 8, sobel), Stencil(first(x, y), 1 / 8, sobel.T)
dt = second(x, y) - first(x, y)
xx, xy, yy, xt, yt = [box(product, 15) for product in (dx * dx, dx * dy, dy * dy, dx * dt, dy * dt)]
scale = 1 / (xx * yy - xy * xy + 1e-8)
down, right = stage((xy * yt - yy * xt) * scale), stage((xy * xt - xx * yt) * scale)
optical_flow = pm.compile([down, right])


def inputs(photo):
    """The second picture is 0.4 points lower, and 0.2 farther right."""
    first = unit(gray(photo))
    lower = numpy.float32(0.6) * first + numpy.float32(0.4) * numpy.roll(first, 1, 0)
    return [first, numpy.float32(0.8) * lower + numpy.float32(0.2) * numpy.roll(lower, 1, 1)]


def reference(first, second):
    """Filters of OpenCV and NumPy: OpenCV has this step for chosen points only."""
    import cv2

    dx, dy = cv2.Sobel(first, -1, 0, 1, scale=1 / 8), cv2.Sobel(first, -1, 1, 0, scale=1 / 8)
    dt = second - first
    xx, xy, yy, xt, yt = [cv2.boxFilter(f, -1, (15, 15)) for f in (dx * dx, dx * dy, dy * dy, dx * dt, dy * dt)]
    scale = 1 / (xx * yy - xy * xy + numpy.float32(1e-8))
    return (xy * yt - yy * xt) * scale, (xy * xt - xx * yt) * scale


PEER = "cv2.Sobel, cv2.boxFilter, NumPy"
LARGEST = 0.005
