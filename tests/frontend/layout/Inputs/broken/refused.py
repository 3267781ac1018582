from later import f


def build():
    return f()
