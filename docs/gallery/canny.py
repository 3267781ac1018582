"""Canny's edges: strong ones, and weak ones that 32 steps from point to point join to a strong one."""
from picture import *

img = picture(UChar, boundary="clamp")
sobel = numpy.outer([-1, 0, 1], [1, 2, 1])
dx, dy = [stage(Stencil(img(x, y), 1, kernel), Short)(x, y) for kernel in (sobel, sobel.T)]
slope = stage(Abs(dx) + Abs(dy), Int, boundary=0)
LOW, HIGH, WEAK, STRONG, TAN = 50, 150, 1, 16, 13573  # the tangent of 22.5 degrees, of 15 bits


def peak(i, j, least=0):
    """1 where the slope falls in both directions."""
    return Select((slope(x, y) > slope(x - i, y - j)) & (slope(x, y) + least > slope(x + i, y + j)), 1, 0)


along, across = Abs(dy) * TAN, Abs(dx) << 15
thin = Select(across < along, peak(0, 1, 1), Select(across > along + (Abs(dy) << 16), peak(1, 0, 1),
                                                    Select((dx ^ dy) < 0, peak(1, -1), peak(1, 1))))
edge = stage(Select((slope(x, y) > LOW) & (thin == 1), Select(slope(x, y) > HIGH, STRONG, WEAK), 0), UChar, boundary=0)
joined = TStencil(POINTS, UChar, 32)
near = Stencil(edge(x, y), 1, numpy.ones((3, 3), int))
joined.defn = Select((edge(x, y) == WEAK) & (near >= STRONG), STRONG, edge(x, y))
edges = stage(Select(joined(x, y) == STRONG, 255, 0), UChar)
canny = pm.compile(edges)


def inputs(photo):
    return [gray(photo)]


def reference(p):
    import cv2

    return cv2.Canny(p, 50, 150)


PEER = "cv2.Canny"
LARGEST, SHARE = 0, 0.005
DIFFERS = "OpenCV follows weak edges to their ends. The program takes 32 steps."
