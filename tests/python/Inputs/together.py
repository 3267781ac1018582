"""The package beside islpy, which has an isl of its own, and numba, which has an LLVM and threads: together.py ours|theirs"""
import sys

import numpy as np


def ours():
    import pm
    from pm import Float, Function, Image, Int, Interval, Parameter, Stencil, Variable

    R, C = Parameter(Int, "R"), Parameter(Int, "C")
    img = Image(Float, "img", [R, C], boundary="mirror")
    x, y = Variable(Int, "x"), Variable(Int, "y")
    blur = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "blur")
    blur.defn = [Stencil(img(x, y), 1.0 / 9, [[1, 1, 1]] * 3)]
    return pm.compile(blur, cache=False)


def theirs():
    import islpy
    import numba

    assert str(islpy.Set("{[i]: 0 <= i < 10}").coalesce()) == "{ [i] : 0 <= i <= 9 }"

    @numba.njit(parallel=True)
    def total(a):
        t = 0.0
        for i in numba.prange(a.shape[0]):
            t += a[i].sum()
        return t

    return total


a = np.random.default_rng(0).random((300, 400), dtype="f4")
made = {}
for side in ("ours", "theirs") if sys.argv[1] == "ours" else ("theirs", "ours"):
    made[side] = globals()[side]()
    made[side](a)
first = made["ours"](a), made["theirs"](a)
for _ in range(50):
    assert np.array_equal(made["ours"](a), first[0])
    assert abs(made["theirs"](a) - first[1]) < 1
print("together")
