from polymage_common import close_ends
from constructs import *


def step(f, l, app_data):
    pipe_data = app_data['pipe_data']
    x = pipe_data['x']
    w = app_data['weights']
    g = Function(([x], [pipe_data['extent'][l]]), Double, "step_" + str(l))
    g.defn = [Case(pipe_data['inner'], w[0] * f(x - 1) + w[1] * f(x) + w[2] * f(x + 1))]
    close_ends(g, pipe_data['ends'], 0.0)
    return g


def smooth(app_data):
    pipe_data = app_data['pipe_data']
    unused = Parameter(Float, "unused")
    f = Image(Double, "grid", [pipe_data['n'] + 2])
    if app_data['kind'] == 'twice':
        count = 2 * app_data['L']
    elif app_data['kind'] == 'once':
        count = app_data['L']
    for l in range(count):
        f = step(f, l % app_data['L'], app_data)
    return f
