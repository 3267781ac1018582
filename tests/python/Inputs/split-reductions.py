"""Tiles of a picture, what combines them, and the rest compute together what the whole program does."""
import itertools
import os
import re
import subprocess
import sys
import unittest

import numpy as np
import pm
from programs import PIPELINES

LIB = os.path.join(os.path.dirname(__file__), "..", "..", "lib")
HEAD = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y, v, i = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v"), Variable(Int, "i")
rows, cols, one = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 0)
"""
NORMALISED = HEAD + """
least = Reduction(([i], [one]), ([x, y], [rows, cols]), UChar, "least")
least.default = 255
least.defn = [Reduce(least(0), img(x, y), Min)]
greatest = Reduction(([i], [one]), ([x, y], [rows, cols]), UChar, "greatest")
greatest.defn = [Reduce(greatest(0), img(x, y), Max)]
out = Function(([x, y], [rows, cols]), Float, "out")
out.defn = [Cast(Float, img(x, y) - least(0)) / (Cast(Int, greatest(0)) - least(0) + 1)]
"""
# The variance reads the mean; pixels are those of a stage that blurs, with its borders.
LEVELS = HEAD.replace("[R, C])", '[R, C], boundary="clamp")') + """
soft = Function(([x, y], [rows, cols]), Int, "soft")
soft.defn = [Cast(Int, img(x - 2, y)) + img(x + 2, y + 1)]
mean = Reduction(([i], [one]), ([x, y], [rows, cols]), Long, "mean")
mean.defn = [Reduce(mean(0), soft(x, y), Sum)]
variance = Reduction(([i], [one]), ([x, y], [rows, cols]), Long, "variance")
d = Cast(Long, soft(x, y)) - mean(0) / (Cast(Long, R) * C)
variance.defn = [Reduce(variance(0), d * d, Sum)]
out = Function(([x, y], [rows, cols]), Long, "out")
out.defn = [(Cast(Long, soft(x, y)) * 1000 - mean(0)) / (variance(0) + 1)]
"""
# Two updates of one stage, of which the second has a guard, over pixels of three channels.
CHANNELS = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [3, R, C])
x, y, c, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "c"), Variable(Int, "v")
levels, channels = Interval(Int, -1, 15), Interval(Int, 0, 2)
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
hist = Reduction(([c, v], [channels, levels]), ([c, x, y], [channels, rows, cols]), Int, "hist")
hist.default = -7
hist.defn = [Reduce(hist(c, img(c, x, y) / 16), 1 + y, Sum),
             Case(Condition(img(c, x, y), ">", 99), Reduce(hist(c, x % 8 - 1), c + x, Max))]
out = Function(([c, x, y], [channels, rows, cols]), Int, "out")
out.defn = [hist(c, img(c, x, y) / 16) * 3 + hist(2, -1)]
"""
ROWS = HEAD + """
line = Reduction(([v, x], [Interval(Int, 0, 7), rows]), ([x, y], [rows, cols]), Int, "line")
line.defn = [Reduce(line(img(x, y) / 32, x), y + 1, Sum)]
total = Reduction(([v], [Interval(Int, 0, 7)]), ([v, x], [Interval(Int, 0, 7), rows]), Int, "total")
total.defn = [Reduce(total(v), line(v, x), Sum)]
out = Function(([x, y], [rows, cols]), Int, "out")
out.defn = [total(img(x, y) / 32)]
"""


def boxes_of(extents):
    """Boxes of 1 and of 2 tiles each way, and all tiles together."""
    for step in {1, 2, max(extents)}:
        yield list(itertools.product(*([(low, min(low + step, n)) for low in range(0, n, step)] for n in extents)))


def arrays(result):
    return list(result) if isinstance(result, tuple) else [result]


def sizes(f, given):
    return {p.name: given[p.name] for p in f.parameters if p.name in given and p.kind not in ("input", "output")}


def inputs(f, given):
    return {p.name: given[p.name] for p in f.inputs}


def part(ir, which, tile):
    passes = f"stage.pipeline(split-reductions{{part={which} tile={tile}}})"
    text = pm.Pipeline(ir, "whole.pmir", fp="strict").ir(passes)
    return text, pm.Pipeline(text, f"{which}.pmir", fp="strict")


def tiles(f, given, box):
    """Of a box of tiles, computed of windows: for each output an array with one leading dimension."""
    whole = inputs(f, given)
    of = {a.name: (*(slice(*ends) for ends in box), *[slice(None)] * (len(a.extents) - len(box))) for a in f.outputs}
    needs = f.needs(**of, **{n: a.shape for n, a in whole.items()}, **sizes(f, given))
    windows = {n: a[tuple(slice(*ends) for ends in needs[n])].copy() for n, a in whole.items()}
    got = f.region(**of, **windows, origin={n: [low for low, _ in needs[n]] for n in whole},
                   shape={n: a.shape for n, a in whole.items()}, **sizes(f, given))
    return [a.reshape(-1, *a.shape[len(box):]) for a in arrays(got)]


def combined(f, parts):
    """Of arrays for each input, of which some are combined at a time."""
    return arrays(f(**{a.name: np.concatenate([p[i] for p in parts]) for i, a in enumerate(f.inputs)}))


def tree(f, parts, width):
    while len(parts) > 1:
        parts = [[a[None] for a in combined(f, parts[k:k + width])] for k in range(0, len(parts), width)]
    return combined(f, parts)


class Parts(unittest.TestCase):
    def check(self, text, name, given, tile, extents, levels=1):
        """`extents` are those of the picture along the dimensions that are tiled."""
        f = pm.Pipeline(text, name, fp="strict")
        whole, ir = arrays(f(**inputs(f, given), **sizes(f, given))), f.ir("")
        for _ in range(levels):
            _, partials = part(ir, "partials", tile)
            _, combine = part(ir, "combine", tile)
            ir, rest = part(ir, "rest", tile)
            results = []
            for boxes in boxes_of([-(-n // tile) for n in extents]):
                parts = [tiles(partials, given, box) for box in boxes]
                results += [combined(combine, parts), tree(combine, parts, 2), tree(combine, parts, 3)]
            for result in results:
                for a, b in zip(result, results[0]):
                    np.testing.assert_array_equal(a, b)
            given = {**given, **dict(zip([a.name for a in rest.inputs if a.name not in given], results[0]))}
        for a, b in zip(arrays(rest(**inputs(rest, given), **sizes(rest, given))), whole):
            np.testing.assert_array_equal(a, b)

    def pictures(self, text, name, levels=1, planes=(), tiled=slice(None)):
        for rows, columns, tile in ((1, 1, 32), (5, 70, 256), (64, 96, 32), (65, 31, 32), (7, 300, 32)):
            with self.subTest(rows=rows, columns=columns, tile=tile):
                img = np.random.default_rng(rows).integers(0, 256, (*planes, rows, columns), "uint8")
                self.check(text, name, {"img": img, "R": rows, "C": columns}, tile, (rows, columns)[tiled], levels)

    def test_equalisation(self):
        with open(os.path.join(PIPELINES, "histeq.py"), encoding="utf-8") as file:
            self.pictures(file.read(), "histeq.py")

    def test_statistics(self):
        with open(os.path.join(PIPELINES, "statistics.py"), encoding="utf-8") as file:
            self.pictures(file.read(), "statistics.py")

    def test_normalised(self):
        self.pictures(NORMALISED, "normalised.py")

    def test_two_levels(self):
        self.pictures(LEVELS, "levels.py", levels=2)

    def test_two_updates_of_channels(self):
        self.pictures(CHANNELS, "channels.py", planes=(3,))

    def test_elements_of_updates(self):
        """Lines have updates, too, of which a tile needs its own."""
        self.pictures(ROWS, "rows.py", tiled=slice(1))

    def test_combinations(self):
        """Some of all operations and types, and of tuples."""
        made = subprocess.run([sys.executable, os.path.join(LIB, "every_combination.py")], capture_output=True, text=True, check=True)
        stages = re.findall("stage.output @(.*)", made.stdout)
        wanted = [*stages[::9], *stages[-5:]]
        text = re.sub("  stage.output @(.*)\n", lambda m: m[0] if m[1] in wanted else "", made.stdout)
        text = pm.Pipeline(text, "every.pmir", fp="strict").ir("stage.pipeline(infer-domains)")
        rng = np.random.default_rng(3)
        for rows, columns in ((3, 11), (9, 1)):
            given = {"R": rows, "C": columns}
            for a in pm.Pipeline(text, "every.pmir").inputs:
                given[a.name] = rng.integers(0, 2 if a.dtype == "bool" else 100, (rows, columns)).astype(a.dtype)
            self.check(text, "every.pmir", given, 4, (rows, columns))

    def test_needs(self):
        """A tile needs its window, and what its values read around it."""
        _, f = part(pm.Pipeline(LEVELS, "levels.py").ir(""), "partials", 32)
        self.assertEqual(f.needs(mean_tiles=((1, 2), (2, 3), (0, 1)), img=(100, 100)), {"img": ((30, 66), (64, 97))})
        _, f = part(pm.Pipeline(ROWS, "rows.py").ir(""), "partials", 32)
        self.assertEqual(f.needs(total_tiles=((1, 2), (0, 8)), img=(100, 100)), {"img": ((32, 64), (0, 100))})

    def test_boxes_of_the_rest(self):
        """With the result at hand a box needs its window."""
        with open(os.path.join(PIPELINES, "histeq.py"), encoding="utf-8") as file:
            whole = pm.Pipeline(file.read(), "histeq.py")
        img = np.random.default_rng(1).integers(0, 50, (70, 90), "uint8")
        _, f = part(whole.ir(""), "rest", 32)
        box, counts = ((10, 30), (40, 80)), np.bincount(img.ravel(), minlength=256).astype("int32")
        needs = f.needs(equalised=box, img=img, hist_sum=counts)
        self.assertEqual(needs, {"img": box, "hist_sum": ((0, 256),)})
        got = f.region(equalised=box, img=img[10:30, 40:80], hist_sum=counts, origin={"img": (10, 40)}, shape={"img": img.shape})
        np.testing.assert_array_equal(got, whole(img)[10:30, 40:80])

    def test_nothing(self):
        """No tiles are combined to the identity."""
        _, f = part(pm.Pipeline(NORMALISED, "normalised.py").ir(""), "combine", 32)
        least, greatest = f(least_tiles=np.zeros((0, 1), "u1"), greatest_tiles=np.zeros((0, 1), "u1"))
        self.assertEqual((least[0], greatest[0]), (255, 0))

    def test_names(self):
        ir = pm.Pipeline(NORMALISED, "normalised.py").ir("")
        names = [(f.name, [p.name for p in f.parameters]) for _, f in (part(ir, w, 256) for w in ("partials", "combine", "rest"))]
        self.assertEqual(names, [
            ("out_partials", ["R", "C", "img", "least_tiles", "greatest_tiles"]),
            ("out_combine", ["least_count", "least_tiles", "greatest_tiles", "least_sum", "greatest_sum"]),
            ("out", ["R", "C", "img", "least_sum", "greatest_sum", "out"])])


if __name__ == "__main__":
    unittest.main()
