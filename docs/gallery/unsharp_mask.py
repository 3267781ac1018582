"""Unsharp mask of three planes: what a Gaussian blur takes away is added, one and a half times."""
from picture import *

img = Image(Float, "img", [3, R, C], boundary="mirror101")
gauss = numpy.exp(-numpy.arange(-6, 7) ** 2 / 8)
column = stage(sum(w * img(c, x + k - 6, y) for k, w in enumerate(gauss / gauss.sum())), points=PLANES)
blur = stage(sum(w * column(c, x, y + k - 6) for k, w in enumerate(gauss / gauss.sum())), points=PLANES)
sharp = stage(img(c, x, y) + 1.5 * (img(c, x, y) - blur(c, x, y)), points=PLANES)
unsharp_mask = pm.compile(sharp)


def inputs(photo):
    return [numpy.ascontiguousarray(unit(photo).transpose(2, 0, 1))]


def reference(planes):
    import cv2

    return [cv2.addWeighted(plane, 2.5, cv2.GaussianBlur(plane, (13, 13), 2), -1.5, 0) for plane in planes]


PEER = "cv2.GaussianBlur, cv2.addWeighted"
LARGEST = 1e-5
