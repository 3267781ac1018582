"""The window of a box is the least box of the points that it reads, found point by point."""
import itertools
import unittest

import numpy as np
import pm

AXES = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
"""


def inside(mode, index, size):
    """The index that a border mode reads."""
    if mode == "repeat":
        return index % size
    if mode == "mirror":
        return np.minimum(index % (2 * size), 2 * size - 1 - index % (2 * size))
    if mode == "mirror101":
        phase = index % max(2 * size - 2, 1)
        return np.minimum(phase, 2 * size - 2 - phase)
    return np.clip(index, 0, size - 1)


def needed(span, size, mode, *taps):
    """What stencils with these taps, one after the other, read along an axis."""
    points = np.arange(*span)
    for offsets in taps:
        points = np.unique(inside(mode, np.add.outer(points, offsets), size))
    return int(points.min()), int(points.max()) + 1


def taps(width):
    return range(-(width // 2), width // 2 + 1)


def spans(size, width):
    """At both ends, all, a point, and between."""
    ends = {(0, 1), (0, size), (0, width), (1, size), (0, size - 1), (size - width, size), (size - 1, size),
            (width // 2, size - width // 2), (size // 2, size // 2 + 2)}
    return sorted({(max(low, 0), min(high, size)) for low, high in ends if max(low, 0) < min(high, size)})


def sizes(width):
    return sorted({1, 2, 3, width // 2, width // 2 + 1, width - 1, width, 2 * width, 40} - {0})


def stencil(name, of, rows, columns):
    return f'{name}.defn = [Stencil({of}(x, y), 1.0, [[1] * {columns}] * {rows})]\n'


def image(name, mode):
    return f'{name} = Image(Float, "{name}", [R, C], boundary={mode!r})\n'


def function(name, mode="clamp"):
    return f'{name} = Function(points, Float, "{name}", boundary={mode!r})\n'


class Windows(unittest.TestCase):
    def compare(self, f, wanted, width, extra=(), reach=0):
        """All places along each axis, and some of the other; wanted(array, axis, span, size) is one of a window. Where
        indices leave an axis of `reach` points by more than its period, the window may be larger."""
        arrays = [a.name for a in f.inputs]
        for size, (other, beside) in itertools.product(sizes(width), ((1, (0, 1)), (30, (0, 9)), (30, (12, 17)), (30, (29, 30)))):
            for span, swapped in itertools.product(spans(size, width), (False, True)):
                box, shape = ((beside, span), (other, size)) if swapped else ((span, beside), (size, other))
                got = f.needs(o=tuple(s for s, _ in extra) + box, **{a: tuple(n for _, n in extra) + shape for a in arrays})
                for a in arrays:
                    for axis, one in enumerate([*extra, *zip(box, shape)]):
                        low, high = wanted(a, axis, *one)
                        if one[1] > reach:
                            self.assertEqual(got[a][axis], (low, high), (a, axis, box, shape))
                        self.assertTrue(got[a][axis][0] <= low and high <= got[a][axis][1], (a, axis, box, shape))

    def pipeline(self, *lines):
        return pm.Pipeline(AXES + "".join(lines), "windows.py", fp="strict")

    def test_stencils(self):
        for mode, widths in itertools.product(("clamp", "mirror", "mirror101", "repeat"), ((3, 3), (7, 3), (1, 15))):
            with self.subTest(mode=mode, widths=widths):
                f = self.pipeline(image("i", mode), function("o"), stencil("o", "i", *widths))
                self.compare(f, lambda _, axis, span, n: needed(span, n, mode, taps(widths[axis])), max(widths))

    def test_one_after_the_other(self):
        for mode in ("clamp", "mirror", "mirror101"):
            with self.subTest(mode=mode):
                f = self.pipeline(image("i", mode), function("s", mode), stencil("s", "i", 5, 3), function("o"), stencil("o", "s", 3, 3))
                self.compare(f, lambda _, axis, span, n: needed(span, n, mode, taps(3), taps((5, 3)[axis])), 7)

    def test_a_stage_beyond_the_picture(self):
        """Whose rows are read outside of the picture: some ends are of no sizes that the context allows."""
        f = self.pipeline(image("i", "mirror101"), """
s = Function(([x, y], [Interval(Int, -2, R + 1), Interval(Int, 0, C - 1)]), Float, "s")
s.defn = [i(x, y - 2) + i(x, y - 1) + i(x, y) + i(x, y + 1) + i(x, y + 2)]
""", function("o"), "o.defn = [s(x - 2, y) + s(x - 1, y) + s(x, y) + s(x + 1, y) + s(x + 2, y)]\n")
        self.compare(f, lambda _, axis, span, n: needed(span, n, "mirror101", taps(5)), 5)

    def test_two_images(self):
        """A mode and offsets of its own each; a mode a dimension."""
        f = self.pipeline(image("i", ["mirror", "repeat"]), image("j", "mirror101"), function("o"),
                          "o.defn = [i(x - 5, y + 1) + i(x + 1, y) + j(x + 3, y - 2) + j(x, y + 6)]\n")
        offsets = {"i": ((-5, 1), (1, 0)), "j": ((3, 0), (-2, 6))}
        modes = {"i": ("mirror", "repeat"), "j": ("mirror101", "mirror101")}
        self.compare(f, lambda name, axis, span, n: needed(span, n, modes[name][axis], offsets[name][axis]), 9, reach=6)

    def test_steps(self):
        """Rows at steps of 3; columns of a wider image, which never leave it."""
        f = pm.Pipeline(AXES + """i = Image(Float, "i", [3 * R, C + 4], boundary="mirror101")
o = Function(points, Float, "o")
o.defn = [i(3 * x - 4, y) + i(3 * x + 2, y + 4)]
""", "windows.py", fp="strict")
        for size, other in itertools.product((1, 2, 40), (1, 9)):
            for span, beside in itertools.product(spans(size, 3), spans(other, 3)):
                rows = inside("mirror101", np.add.outer(3 * np.arange(*span), (-4, 2)), 3 * size)
                self.assertEqual(f.needs(o=(span, beside), i=(3 * size, other + 4))["i"],
                                 ((rows.min(), rows.max() + 1), (beside[0], beside[1] + 4)))

    def test_channels(self):
        f = self.pipeline("""Z = Parameter(Int, "Z")
z = Variable(Int, "z")
i = Image(Float, "i", [Z, R, C], boundary="mirror")
o = Function(([z, x, y], [Interval(Int, 0, Z - 1), Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "o")
o.defn = [i(z - 1, x - 2, y) + i(z + 1, x, y - 3) + i(z, x + 2, y + 3)]
""")
        offsets = ((-1, 0, 1), (-2, 0, 2), (-3, 0, 3))
        for plane in (((0, 1), 9), ((4, 6), 9), ((8, 9), 9), ((0, 1), 1)):
            self.compare(f, lambda _, axis, span, n: needed(span, n, "mirror", offsets[axis]), 7, (plane,))


if __name__ == "__main__":
    unittest.main()
