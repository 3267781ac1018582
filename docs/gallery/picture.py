"""What the programs of the gallery share: pictures of R rows and C columns, and stages over all of their points."""
import numpy
import pm
from pm import *

R, C = Parameter(Int, "R"), Parameter(Int, "C")
c, x, y = Variable(Int, "c"), Variable(Int, "x"), Variable(Int, "y")
ROWS, COLS = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
POINTS = ([x, y], [ROWS, COLS])
PIXELS = ([x, y, c], [ROWS, COLS, Interval(Int, 0, 2)])


def picture(type=Float, name="img", boundary="mirror101"):
    """An input of one plane. OpenCV's name of this boundary is BORDER_REFLECT_101, its default."""
    return Image(type, name, [R, C], boundary=boundary)


def stage(value, type=Float, points=POINTS, boundary="mirror101"):
    """The value at each point. The boundary says how points outside are read."""
    made = Function(points, type)
    made.defn, made.boundary = value, boundary
    return made


def box(value, n):
    """The mean of n x n values around the point."""
    f, around = stage(value), range(-(n // 2), n // 2 + 1)
    column = stage(sum(f(x + k, y) for k in around) / n)
    return stage(sum(column(x, y + k) for k in around) / n)(x, y)


# --- the photographs that are filtered: arrays of NumPy ---


def gray(photo):
    """(R, C) of uint8."""
    return (photo @ numpy.array([0.299, 0.587, 0.114]) + 0.5).astype("uint8")


def unit(photo):
    """0..1"""
    return photo.astype("float32") / 255
