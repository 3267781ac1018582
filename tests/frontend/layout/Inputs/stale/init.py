import numpy as np
from sys import argv


def keep(values):
    return values


def init_all(app_data):
    sliced, filled, passed, added, kept = [1, 2], [1, 2], [1, 2], [1, 2], [1, 2]
    sliced[0:1] = [5]
    filled.fill(3)
    np.shuffle(passed)
    keep(kept)
    alias = added
    number = 1
    with open("number") as file:
        number = int(file.read())
    looped = {0: 1}
    chosen = [1, 2]
    for i in range(int(argv[1])):
        looped[0] = i
    if argv[2] == "x":
        chosen[0] = 7
        added += [8]
        app_data['either'] = 1
    else:
        app_data['either'] = 2
    app_data['sliced'] = sliced[0]
    app_data['filled'] = filled[0]
    app_data['passed'] = passed[0]
    app_data['added'] = added[0]
    app_data['alias'] = len(alias)
    app_data['number'] = number
    app_data['looped'] = looped[0]
    app_data['chosen'] = chosen[0]
    app_data['kept'] = kept[0]


def later(*all):
    app_data['kept'] = 0
