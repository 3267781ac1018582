from constructs import *


def f():
    x = Variable(Int, "x")
    g = Function(([x], [Interval(Int, 0, 9)]), Int, "g")
    g.defn = [Case(Condition(x, '>', 1), y)]
    return g
