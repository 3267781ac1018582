import parts.scale as s
import parts
from parts import shift, two as three
from parts.inner import *
from . import plain
from math import sqrt


def build(app_data):
    x = Variable(Int, "x")
    img = Image(Int, "img", [4])
    f = Function(([x], [Interval(Int, 0, 3)]), Int, "f")
    assert three == 2 and parts.two == 2 and sqrt(4) == 2 and hidden_by_none == 5
    assert app_data['sizes'][3] == 10 and app_data.sizes[3] == 10 and app_data['half'] == 0.5 and app_data['on']
    assert app_data['word'] == "word" and app_data['none'] is None and app_data['list'] == [1, 2.5, "a"]
    assert app_data.inner.depth + 1 == -2 and not app_data.off
    app_data.inner.depth = 7
    assert app_data['inner']['depth'] == -3
    app_data.set = 4
    assert app_data['set'] == 4
    f.defn = plain.same(s.scaled(img(x), shift.by(1)))
    return f
