from fractions import Fraction
from constructs import *


def set_vars(app_data):
    pipe_data = app_data['pipe_data']
    R, C = Parameter(Int, "R"), Parameter(Int, "C")
    pipe_data['R'], pipe_data['C'] = R, C
    pipe_data['x'], pipe_data['y'] = Variable(Int, "x"), Variable(Int, "y")
    pipe_data['N'] = {}
    for l in range(app_data['L'] + 1):
        pipe_data['N'][l] = (R / (1 << l), C / (1 << l))


def half(f, l, app_data):
    pipe_data, w = app_data['pipe_data'], app_data['weights']
    x, y, N = pipe_data['x'], pipe_data['y'], pipe_data['N']
    row, col = Interval(Int, 0, N[l][0] + 1), Interval(Int, 0, N[l][1] + 1)
    inner = Condition(x, '>=', 1) & Condition(x, '<=', N[l][0]) & Condition(y, '<=', N[l][1])
    down = Function(([x, y], [row, col]), Float, "half_" + str(l))
    down.defn = [Case(inner, w[0] * f(2 * x - 1, 2 * y) + w[1] * f(2 * x, 2 * y) + w[2] * f(2 * x + 1, 2 * y))]
    down.defn.append(Case(Condition(x, '==', 0), 1.0))
    return down


def weighted(app_data):
    pipe_data = app_data['pipe_data']
    f = Image(Float, "img", [pipe_data['R'] + 2, pipe_data['C'] + 2])
    for l in range(1, app_data['L'] + 1):
        f = half(f, l, app_data)
    return f, []
