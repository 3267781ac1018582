"""What notebooks are given: summaries, drawings whose names differ, pages, and pictures."""
import re
import unittest
from html.parser import HTMLParser

import numpy as np

import pm
from programs import BLUR, TWO


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
        pm.show(np.full((2, 2), np.nan))._repr_html_()
        self.assertRaises(pm.ShapeError, pm.show, np.zeros(3))


unittest.main()
