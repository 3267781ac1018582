"""Unsharp mask of colours: what a Gaussian blur takes away is added, one and a half times."""
from picture import *

img = Image(Float, "img", [R, C, 3], boundary="mirror101")
gauss = numpy.exp(-numpy.arange(-6, 7) ** 2 / 8)
column = stage(sum(w * img(x + k - 6, y, c) for k, w in enumerate(gauss / gauss.sum())), points=PIXELS)
blur = stage(sum(w * column(x, y + k - 6, c) for k, w in enumerate(gauss / gauss.sum())), points=PIXELS)
sharp = stage(img(x, y, c) + 1.5 * (img(x, y, c) - blur(x, y, c)), points=PIXELS)
unsharp_mask = pm.compile(sharp)


def inputs(photo):
    return [unit(photo)]


def reference(p):
    import cv2

    return cv2.addWeighted(p, 2.5, cv2.GaussianBlur(p, (13, 13), 2), -1.5, 0)


PEER = "cv2.GaussianBlur, cv2.addWeighted"
LARGEST = 1e-5
