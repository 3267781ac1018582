import parts


def scaled(value, by):
    return parts.two * value + by
