"""Programs of bench/pipelines with their inputs, for the tests of pm.dask."""
import os
import sys

import numpy as np
import pm

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import benchmarks

# Under fp=strict, so that no bit depends on where an element is.
STRICT = {"fp": "strict"}


def program(name, rows, columns):
    """A row of benchmarks.py: the pipeline, its inputs and its scalars."""
    row = benchmarks.BENCHMARKS[name]
    f = pm.load(row.path, const=row.constants_for(rows, columns), **STRICT)
    arrays = row.inputs(rows, columns)
    return f, {p.name: np.ascontiguousarray(arrays[p.name]) for p in f.inputs}, row.scalars


def grows(parameter):
    """Its axes that grow with the picture."""
    return [axis for axis, text in enumerate(parameter.extents) if any(c.isalpha() for c in text)]


def chunks_of(parameter, sizes):
    """The sizes are those of the axes that grow; chunks have all of the others."""
    axes = grows(parameter)
    return tuple(sizes[axes.index(axis)] if axis in axes else -1 for axis in range(len(parameter.extents)))


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


# Sums along columns, in half.
SUMS = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
total = Function(points, Float, "total")
total.defn = [Case(Condition(x, "==", 0), img(x, y)), Case(Condition(x, ">", 0), total(x - 1, y) + img(x, y))]
half = Function(points, Float, "half")
half.defn = [total(x, y) / 2]
"""

# Rows in the order of an array.
ROWS = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img, order = Image(Float, "img", [R, C]), Image(Int, "order", [R])
x, y = Variable(Int, "x"), Variable(Int, "y")
sorted = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "sorted")
sorted.defn = [img(Min(Max(order(x), 0), R - 1), y)]
"""

# Two inputs, two outputs of one shape, a table and a scalar.
MIXED = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
gain = Parameter(Float, "gain")
a, b = Image(Float, "a", [R, C], boundary="mirror"), Image(UChar, "b", [R, C])
table = Image(Float, "table", [256])
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
sharp = Function(points, Float, "sharp")
sharp.defn = [a(x, y) * gain - a(x - 2, y) + a(x, y + 3) + x % 2]
seen = Function(points, UChar, "seen")
seen.defn = [Select(Condition(a(x + 1, y), ">", table(b(x, y))), b(x, y), 255 - b(x, y))]
"""


def mixed():
    return pm.Pipeline(MIXED, "mixed.py", live_out=["sharp", "seen"], **STRICT)


def of_mixed(rows, columns):
    random = np.random.default_rng(3)
    return {"a": random.random((rows, columns), "f4"), "b": random.integers(0, 256, (rows, columns), "u1"),
            "table": random.random(256, "f4")}
