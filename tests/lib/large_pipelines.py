"""Generated PolyMage programs that grow with one number: large_pipelines.py SHAPE NUMBER prints one.

    chain     stages, each a stencil of the one before on the interior; the border is 0
    graph     stages that read five earlier ones, and so have five consumers but for the last ones
    pyramid   levels of half the size, and as many back
    skips     the same, where a level of the way back reads that of the way there, too
    wavelet   levels of four bands each
    outputs   stages of one image, all of them outputs
    images    pairs of an image of its own size and a stage that is an output
    channels  planes of one image, each with a stencil and a point-wise stage, and their sum
    cases     bands of rows of one stage, with a formula each
    sums      reductions over rows of one image, added in a tree
    taps      reads of one stencil, in a square
    updates   updates of one stage, at a row each
    unrolled  iterations of a smoothing that reads the picture and the iteration before
"""
import math
import sys

HEAD = """R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y, n = Variable(Int, "x"), Variable(Int, "y"), {n}
row, col = Interval(Int, 0, R-1), Interval(Int, 0, C-1)
inside = Condition(x, '>=', 1) & Condition(x, '<=', R-2) & Condition(y, '>=', 1) & Condition(y, '<=', C-2)
stages = [img]
"""

CHAIN = """
for i in range(n):
    stage = Function(([x, y], [row, col]), Float, "s" + str(i))
    f = stages[i]
    stage.defn = [ Case(inside, (f(x-1, y) + f(x+1, y) + f(x, y-1) + f(x, y+1)) * 0.25) ]
    stages.append(stage)
"""

GRAPH = """
for i in range(n):
    stage = Function(([x, y], [row, col]), Float, "s" + str(i))
    value = 0.0
    for back in [0, 1, 2, 4, 7]:
        f = stages[max(i - back, 0)]
        value = value + f(x-1, y) + f(x, y+1)
    stage.defn = [ Case(inside, value * 0.1) ]
    stages.append(stage)
"""

PYRAMID = """
for i in range(n):
    size = 2**(i+1)
    stage = Function(([x, y], [Interval(Int, 0, R/size-1), Interval(Int, 0, C/size-1)]), Float, "down" + str(i))
    f = stages[i]
    stage.defn = [ (f(2*x, 2*y) + f(2*x+1, 2*y) + f(2*x, 2*y+1) + f(2*x+1, 2*y+1)) * 0.25 ]
    stages.append(stage)
up = stages[n]
for i in range(n):
    size = 2**(n-i-1)
    stage = Function(([x, y], [Interval(Int, 0, R/size-1), Interval(Int, 0, C/size-1)]), Float, "up" + str(i))
    inner = Condition(x, '<=', 2*(R/(2*size))-1) & Condition(y, '<=', 2*(C/(2*size))-1)
    stage.defn = [ Case(inner, up(x/2, y/2){skip}) ]
    up = stage
"""

WAVELET = """
for i in range(n):
    size = 2**(i+1)
    f = stages[i]
    for name, a, b in [("ll", 1, 1), ("lh", 1, -1), ("hl", -1, 1), ("hh", -1, -1)]:
        stage = Function(([x, y], [Interval(Int, 0, R/size-1), Interval(Int, 0, C/size-1)]), Float, name + str(i))
        stage.defn = [ f(2*x, 2*y) + a*f(2*x+1, 2*y) + b*f(2*x, 2*y+1) + a*b*f(2*x+1, 2*y+1) ]
        if name == "ll":
            stages.append(stage)
"""

OUTPUTS = """
for i in range(n):
    stage = Function(([x, y], [row, col]), Float, "s" + str(i))
    stage.defn = [ Case(inside, img(x-1, y) + (i+1)*img(x, y+1)) ]
"""

IMAGES = """
for i in range(n):
    S = Parameter(Int, "S" + str(i))
    f = Image(Float, "img" + str(i), [S])
    stage = Function(([x], [Interval(Int, 0, S-1)]), Float, "s" + str(i))
    stage.defn = [ f(x) * 2.0 ]
"""

CHANNELS = """
planes = Image(Float, "planes", [n, R, C])
total = 0.0
for i in range(n):
    smooth = Function(([x, y], [row, col]), Float, "smooth" + str(i))
    smooth.defn = [ Case(inside, (planes(i, x-1, y) + planes(i, x, y) + planes(i, x+1, y)) * 0.333) ]
    sharp = Function(([x, y], [row, col]), Float, "sharp" + str(i))
    sharp.defn = [ 2.0*planes(i, x, y) - smooth(x, y) ]
    total = total + sharp(x, y)
stage = Function(([x, y], [row, col]), Float, "total")
stage.defn = [ total ]
"""

CASES = """
stage = Function(([x, y], [Interval(Int, 0, 2*n-1), col]), Float, "banded")
bands = Image(Float, "bands", [2*n, C])
stage.defn = [ Case(Condition(x, '>=', 2*i) & Condition(x, '<=', 2*i+1), bands(x, y) * (i+1)) for i in range(n) ]
"""

SUMS = """
parts = []
for i in range(n):
    stage = Reduction(([y], [col]), ([x, y], [Interval(Int, 0, R-1), col]), Float, "sum" + str(i))
    stage.defn = [ Reduce(stage(y), img(x, y) * (i+1), Op.Sum) ]
    parts.append(stage)
while len(parts) > 1:
    pairs = []
    for i in range(0, len(parts) - 1, 2):
        stage = Function(([y], [col]), Float, "add" + str(len(parts)) + "_" + str(i))
        stage.defn = [ parts[i](y) + parts[i+1](y) ]
        pairs.append(stage)
    if len(parts) % 2 == 1:
        pairs.append(parts[-1])
    parts = pairs
"""

TAPS = """
side = {side}
stage = Function(([x, y], [Interval(Int, side, R-1-side), Interval(Int, side, C-1-side)]), Float, "s")
stage.defn = [ Stencil(img(x, y), 1.0, [[1]*side]*side) ]
"""

UPDATES = """
stage = Reduction(([y], [col]), ([x, y], [row, col]), Float, "s")
stage.defn = [ Case(Condition(x, '==', i), Reduce(stage(y), img(x, y) * (i+1), Op.Sum)) for i in range(n) ]
"""

UNROLLED = """
for i in range(n):
    stage = Function(([x, y], [row, col]), Float, "s" + str(i))
    f = stages[i]
    stage.defn = [ Case(inside, 0.9*f(x, y) + 0.1*(img(x, y) - f(x-1, y) + f(x+1, y) - f(x, y-1) + f(x, y+1))) ]
    stages.append(stage)
"""

SHAPES = {
    "chain": CHAIN,
    "graph": GRAPH,
    "pyramid": PYRAMID.replace("{skip}", ""),
    "skips": PYRAMID.replace("{skip}", " + stages[n-i-1](x, y)"),
    "wavelet": WAVELET,
    "outputs": OUTPUTS,
    "images": IMAGES,
    "channels": CHANNELS,
    "cases": CASES,
    "sums": SUMS,
    "taps": TAPS,
    "updates": UPDATES,
    "unrolled": UNROLLED,
}


def program(shape, n):
    return (HEAD + SHAPES[shape]).replace("{n}", str(n)).replace("{side}", str(math.isqrt(n)))


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2])))
