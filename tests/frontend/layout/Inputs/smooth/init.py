import numpy as np
from arguments import parse
from polymage_common import set_vars, set_cases


def fill(grid, *values):
    grid[0:1] = values[0]


def init_sizes(app_data):
    arguments = parse()
    app_data['arguments'] = arguments
    app_data['n'] = int(arguments.n)
    app_data['L'] = int(arguments.L)
    app_data['kind'] = arguments.kind
    app_data['naive'] = bool(arguments.naive)
    N = app_data['n']
    if app_data['kind'] == 'coarse':
        app_data['n'] = 3
        N = 3
    with open("sizes.txt") as sizes:
        N = int(sizes.read())
    print("size", N)
    try:
        N = 1
    except ValueError:
        pass
    grid = np.zeros((N + 2, N + 2), np.float64)
    grid[0:1, :] = 1.0
    fill(grid, 1)
    for i in range(N):
        app_data['grid'] = grid


def init_weights(app_data):
    w = np.zeros((3), np.float64)
    w[0] = w[2] = 1.0 / 4
    w[1] = 1.0 / 2
    app_data['weights'] = w


def init_all(app_data):
    app_data['pipe_data'] = {}
    init_sizes(app_data)
    init_weights(app_data)
    set_vars(app_data)
    set_cases(app_data)
