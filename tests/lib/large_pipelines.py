"""Large generated PolyMage programs: large_pipelines.py SHAPE STAGES prints one.

    chain   every stage is a stencil of the one before, on the interior; the border is 0
    graph   every stage reads five earlier ones, and so has five consumers but for the last ones
"""
import sys

HEAD = """R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)
inside = Condition(x, '>=', 1) & Condition(x, '<=', R-2) & Condition(y, '>=', 1) & Condition(y, '<=', C-2)
stages = [img]
for i in range({n}):
    stage = Function(([x, y], [row, col]), Float, "s" + str(i))
"""

CHAIN = """    f = stages[i]
    stage.defn = [ Case(inside, (f(x-1, y) + f(x+1, y) + f(x, y-1) + f(x, y+1)) * 0.25) ]
    stages.append(stage)
"""

GRAPH = """    value = 0.0
    for back in [0, 1, 2, 4, 7]:
        f = stages[max(i - back, 0)]
        value = value + f(x-1, y) + f(x, y+1)
    stage.defn = [ Case(inside, value * 0.1) ]
    stages.append(stage)
"""

SHAPES = {"chain": CHAIN, "graph": GRAPH}


def program(shape, n):
    return HEAD.format(n=n) + SHAPES[shape]


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2])))
