from compiler import *
from constructs import *


def sharpen(data):
    R, C, weight = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Float, "weight")
    data["R"], data["C"] = R, C
    x, y = Variable(Int, "x"), Variable(Int, "y")
    row, col = Interval(Int, 0, R + 1), Interval(Int, 0, C + 1)
    inside = Condition(x, ">=", 1) & Condition(x, "<=", R) & Condition(y, ">=", 1) & Condition(y, "<=", C)
    zoom = Image(Float, "zoom", [R + 2, C + 2])
    img = Image(Float, "img", [R + 2, C + 2])
    blur = Function(([x, y], [row, col]), Float, "blur")
    blur.defn = [Case(inside, Stencil(img(x, y), 1.0 / 9, [[1, 1, 1], [1, 1, 1], [1, 1, 1]]))]
    sharp = Function(([x, y], [row, col]), Float, "sharp")
    sharp.defn = [Case(inside, img(x, y) * (1 + weight) - blur(x, y) * weight * zoom(x, y))]
    return sharp, blur
