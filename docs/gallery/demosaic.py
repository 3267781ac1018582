"""Bilinear demosaicing of a raw picture: red and green in even rows, green and blue in odd ones."""
from picture import *

img = picture(UChar)
raw = img(x, y)
row = (img(x, y - 1) + img(x, y + 1) + 1) // 2
column = (img(x - 1, y) + img(x + 1, y) + 1) // 2
cross = (img(x - 1, y) + img(x + 1, y) + img(x, y - 1) + img(x, y + 1) + 2) // 4
corners = (img(x - 1, y - 1) + img(x - 1, y + 1) + img(x + 1, y - 1) + img(x + 1, y + 1) + 2) // 4


def phases(red, green, beside_blue, blue):
    return Select(x % 2 == 0, Select(y % 2 == 0, red, green), Select(y % 2 == 0, beside_blue, blue))


rgb = Function(PIXELS, UChar)
rgb.defn = [Case(c == 0, phases(raw, row, column, corners)),
            Case(c == 1, phases(cross, raw, raw, cross)),
            Case(c == 2, phases(corners, column, row, raw))]
demosaic = pm.compile(rgb)


def inputs(photo):
    raw = photo[..., 1].copy()
    raw[0::2, 0::2], raw[1::2, 1::2] = photo[0::2, 0::2, 0], photo[1::2, 1::2, 2]
    return [raw]


def reference(p):
    import cv2

    return cv2.cvtColor(p, cv2.COLOR_BayerRGGB2RGB)


PEER = "cv2.cvtColor"
LARGEST, BORDER = 0, 1
DIFFERS = "OpenCV's border is a copy of the rows and columns beside it."
