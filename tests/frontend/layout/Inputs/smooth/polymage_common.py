from __init__ import *
import sys
sys.path.insert(0, ROOT)
from constructs import *


def close_ends(f, ends, value):
    for side in ends:
        f.defn.append(Case(ends[side], value))


def set_vars(app_data):
    pipe_data = app_data['pipe_data']
    pipe_data['x'] = Variable(Int, "x")
    n = Parameter(Int, "n")
    pipe_data['n'] = n
    pipe_data['extent'] = [Interval(Int, 0, n + 1) for l in range(app_data['L'])]


def set_cases(app_data):
    pipe_data = app_data['pipe_data']
    x, n = pipe_data['x'], pipe_data['n']
    pipe_data['inner'] = Condition(x, '>=', 1) & Condition(x, '<=', n)
    pipe_data['ends'] = {'left': Condition(x, '==', 0), 'right': Condition(x, '==', n + 1)}
