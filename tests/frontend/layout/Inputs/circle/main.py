from first import f


def build():
    return f()
