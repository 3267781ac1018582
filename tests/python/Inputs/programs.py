"""Programs of the tests, and what they compute."""
import os

import numpy
import pm

PIPELINES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "bench", "pipelines")

BLUR = """\
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])
x, y = Variable(Int, "x"), Variable(Int, "y")
blur = Function(([x, y], [Interval(Int, 1, R), Interval(Int, 1, C)]), Float, "blur")
blur.defn = [Stencil(img(x, y), 1.0 / 9, [[1, 1, 1]] * 3)]
"""

TWO = """\
R, C = Parameter(Int, "R"), Parameter(Int, "C")
gain = Parameter(Float, "gain")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
all = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
dark = Function(all, Float, "dark")
dark.defn = [Cast(Float, img(x, y)) * gain]
rows = Function(([x], [Interval(Int, 0, R - 1)]), Int, "rows")
rows.defn = [Cast(Int, img(x, 0)) + x]
"""


def blur(**options):
    return pm.Pipeline(BLUR, "blur.py", **options)


def two():
    return pm.Pipeline(TWO, "two.py", live_out=["dark", "rows"])


def blurred(img):
    """By NumPy, of float64."""
    rows, columns = img.shape[0] - 2, img.shape[1] - 2
    return sum(img[i : i + rows, j : j + columns].astype("f8") for i in range(3) for j in range(3)) / 9


def picture(*shape):
    return numpy.random.default_rng(7).random(shape, "f4")


class Lent:
    """An array that only DLPack gives."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Elsewhere(Lent):
    def __dlpack_device__(self):
        return 2, 0


def error(call):
    """What it raises: the name of the class and the text."""
    try:
        call()
    except Exception as raised:
        return f"{type(raised).__name__}: {raised}"
    return "nothing"
