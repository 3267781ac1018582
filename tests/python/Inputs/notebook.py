"""What notebooks are given: summaries, drawings whose names differ, pages, and pictures."""
import re
import sys
import unittest
from html.parser import HTMLParser
from unittest import mock

import numpy as np

import pm
from pm import measured, notebook
from programs import BLUR, TWO

HISTEQ = sys.argv.pop(1)  # bench/pipelines/histeq.py


class Whole(HTMLParser):
    """Each tag that is opened is closed."""

    EMPTY = {"img", "input", "br"}

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Notebook(unittest.TestCase):
    def setUp(self):
        self.f = pm.Pipeline(BLUR, "blur.py")

    def test_bundle(self):
        bundle = self.f._repr_mimebundle_()
        self.assertRegex(bundle["text/plain"], r"^blur\(img: .*\n  blur: 1 stage, [\d.e-]+ ms predicted$")
        self.assertLess(len(bundle["text/html"]), 20000)
        self.assertNotIn("<script", bundle["text/html"])
        Whole(bundle["text/html"])

    def test_two_on_one_page(self):
        both = self.f._repr_mimebundle_()["text/html"] + pm.Pipeline(TWO, "two.py", live_out=["dark", "rows"]).svg._repr_svg_()
        names = re.findall(r'\bid="([^"]*)"', both)
        self.assertGreater(len(names), 4)
        self.assertEqual(len(names), len(set(names)))
        for used in re.findall(r'href="#([^"]*)"', both):
            self.assertIn(used, names)

    def test_texts(self):
        self.assertIn(".text", self.f.asm)
        self.assertIn("stage.func @blur", self.f.ir(""))
        self.assertIn("loop.func", self.f.ir())
        with self.assertRaises(pm.Error) as caught:
            self.f.ir("no-such-pass")
        self.assertIn("no-such-pass", str(caught.exception))

    def test_page(self):
        page = self.f.page
        self.assertIn("<html", page)
        frame = page._repr_html_()
        Whole(frame)
        self.assertIn('sandbox="allow-scripts"', frame)

    def test_pictures(self):
        gray = np.linspace(0, 1, 12, dtype="f4").reshape(3, 4)
        shown = pm.show(gray, np.zeros((3, 4, 3), "u1"))
        self.assertEqual(repr(shown), "a picture of 3 x 4 and a picture of 3 x 4")
        text = shown._repr_html_()
        Whole(text)
        self.assertEqual(text.count("data:image/png;base64,"), 2)
        self.assertIn("-2 is black, 6 is white", pm.show(gray * 8 - 2)._repr_html_())
        self.assertNotIn("black", pm.show(np.zeros((3, 4), "u1"))._repr_html_())
        self.assertEqual(repr(pm.show(np.zeros((3, 5, 7)))), "a picture of 5 x 7")
        self.assertRaises(pm.ShapeError, pm.show, np.zeros(3))

    def test_scales(self):
        gray = np.float32([[0.25, np.inf], [np.nan, 3]])
        self.assertIn("<small>0.25 is black, 3 is white, inf is white, NaN is black</small>", pm.show(gray)._repr_html_())
        self.assertEqual(notebook._pixels(gray)[0].tolist(), [[0, 255], [0, 255]])
        self.assertIn("0 is black, 1 is white, -inf is black", pm.show(np.float64([[0.5, -np.inf]]))._repr_html_())
        self.assertIn("0 is black, 1 is white, NaN is black", pm.show(np.full((2, 2), np.nan))._repr_html_())
        self.assertIn("-5 is black, 1000 is white", pm.show(np.int16([[-5, 1000]]))._repr_html_())
        two = pm.show(np.float32([[0, 0.5]]), np.float32([[0.5, 1]]))._repr_html_()
        self.assertEqual(two.count("is black"), 1)

    def test_channels(self):
        for shape, advice in (
            ((6, 7, 2), "show one of them, p[..., 0]"),
            ((2, 6, 7), "show one of them, p[0]"),
            ((6, 7, 5), "show one of them, p[..., 0], or three, p[..., [0, 1, 2]]"),
            ((5, 6, 7), "show one of them, p[0], or three, p[[0, 1, 2]]"),
            ((2, 2, 2, 3), "it is of rows, columns and channels"),
        ):
            with self.assertRaises(pm.ShapeError) as caught:
                pm.show(np.zeros(shape))
            self.assertEqual(str(caught.exception), f"a picture p has 1, 3 or 4 channels; this is {shape}: {advice}")
        self.assertEqual(notebook._pixels(np.zeros((5, 6, 7))[[0, 1, 2]])[0].shape, (6, 7, 3))
        with self.assertRaisesRegex(pm.DTypeError, "complex128: show abs"):
            pm.show(np.zeros((2, 2), complex))


class Measured(unittest.TestCase):
    """Groups as they are measured; what is predicted is what the remarks say."""

    @classmethod
    def setUpClass(cls):
        with open(HISTEQ, encoding="utf-8") as file:
            text = file.read()
        cls.photo = np.random.default_rng(1).integers(0, 255, (240, 320), dtype="u1")
        cls.f = pm.Pipeline(text, "histeq.py", estimates={"R": 240, "C": 320}, threads=1)
        cls.profile = cls.f.profile(cls.photo, seconds=0.05)
        cls.roofline = cls.f.roofline(cls.photo, seconds=0.05)

    def test_rows(self):
        self.assertEqual([row.group for row in self.profile], ["hist_part", "hist", "cdf", "equalised"])
        self.assertAlmostEqual(sum(row.share for row in self.profile) + self.profile.rest / self.profile.seconds, 1)
        self.assertAlmostEqual(sum(row.seconds for row in self.profile) + self.profile.rest, self.profile.seconds)
        columns = self.profile.to_dict()
        self.assertEqual(list(columns), ["group", "stages", "seconds", "predicted", "share", "bytes", "operations"])
        self.assertEqual(columns["seconds"], [row.seconds for row in self.profile])

    def test_remarks(self):
        """The summary of a pipeline is of the same remarks; predictions of calls leave out new memory."""
        said = notebook.groups(self.f)
        self.assertEqual([row.group for row in self.profile], [name for name, *_ in said])
        for row, (_, stages, time, text) in zip(self.profile, said):
            numbers = re.search(r"new memory ([\d.e+-]+).* ([\d.]+) MB moved", text)
            self.assertEqual(row.stages, stages)
            self.assertAlmostEqual(1e3 * row.predicted, float(time.split()[0]) - float(numbers[1]), delta=0.02 * float(time.split()[0]))
            self.assertAlmostEqual(1e-6 * row.bytes, float(numbers[2]), delta=0.01 * float(numbers[2]))

    def test_texts(self):
        lines = repr(self.profile).splitlines()
        self.assertRegex(lines[0], r"^group +stages +ms +predicted +share +moved +operations$")
        self.assertRegex(lines[4], r"^equalised +1 +[\d.]+ +[\d.]+ +\d+ % +231 kB +461 k$")
        self.assertRegex(lines[-1], r"^[\d.]+ ms on 1 thread$")
        Whole(self.profile._repr_html_())

    def test_roofline(self):
        rows = {row.group: row for row in self.profile}
        self.assertIn("equalised", [point.group for point in self.roofline])
        for point in self.roofline:
            row = rows[point.group]
            self.assertAlmostEqual(point.intensity, row.operations / row.bytes)
            self.assertAlmostEqual(point.bound, min(self.roofline.compute, point.intensity * self.roofline.cache))
            self.assertGreater(point.rate, 0)
        svg = self.roofline._repr_svg_()
        Whole(svg)
        self.assertEqual(svg.count("<circle"), len(self.roofline))
        self.assertNotIn("id=", svg)
        self.assertIn("of a usual server", repr(self.roofline))

    def test_bound(self):
        """By memory, where the bytes do not fit in the last cache."""
        rates = {"vector_mops": 7000, "vector_bytes": 32, "cores": 4, "shared_mbytes": 40000, "dram_mbytes": 20000, "l3_mbytes": 40000,
                 "l3_bytes": 1000}
        group = {"group": "g", "s": 1e-3, "operations": 100.0}
        run = {"threads": 2, "machine": rates, "rest_s": 0.0, "groups": [group | {"bytes": 1000.0}, group | {"bytes": 1001.0}]}
        points = measured.Roofline(run)
        self.assertEqual((points.compute, points.memory, points.cache), (112e9, 40e9, 80e9))
        self.assertEqual([round(point.bound) for point in points], [8_000_000_000, round(40e9 * 100 / 1001)])
        run["groups"].append(group | {"group": "short", "s": 1e-6, "bytes": 10.0})
        self.assertEqual([point.group for point in measured.Roofline(run)], ["g", "g"])

    def test_plot(self):
        """What is drawn into axes of matplotlib: two roofs, and a point for each group."""
        axes = mock.Mock()
        self.assertIs(self.roofline.plot(axes), axes)
        lines = [call.args for call in axes.plot.call_args_list]
        self.assertEqual([len(args[0]) if isinstance(args[0], list) else 1 for args in lines], [3, 3] + [1] * len(self.roofline))
        self.assertEqual(lines[2][:2], (self.roofline[0].intensity, self.roofline[0].rate))
        self.assertEqual([call.args[0] for call in axes.annotate.call_args_list], [point.group for point in self.roofline])

    def test_other_sizes(self):
        """The groups of the function itself are for other sizes: it is said."""
        f = pm.Pipeline(self.f._text, "histeq.py", threads=1)
        self.assertIn("; compiled for these sizes; the function itself is for R = 1024, C = 1024, unless it has "
                      "estimates={'R': 240, 'C': 320}", repr(f.profile(self.photo, seconds=0.01)))
        self.assertNotIn("estimates", repr(self.profile))

    def test_errors(self):
        self.assertRaises(pm.DTypeError, self.f.profile, self.photo.astype("f4"))
        self.assertRaises(TypeError, self.f.profile, self.photo, out=self.photo)
        self.assertRaises(TypeError, self.f.profile)


unittest.main()
