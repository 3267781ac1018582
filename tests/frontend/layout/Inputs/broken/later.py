def never(*all):
    pass


def f():
    with 3:
        pass
