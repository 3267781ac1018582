import part
import part as again
from part import f, missing


def build(n):
    return part.f()
