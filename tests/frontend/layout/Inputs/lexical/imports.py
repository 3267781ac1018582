from part import f


def build():
    return f()
