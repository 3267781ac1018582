def same(value):
    return value
