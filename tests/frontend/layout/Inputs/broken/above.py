from ..smooth import polymage_common
from linked import h


def build():
    return h()
