"""Halide's names: mistakes are exceptions at their lines, and what is missing is one that names it."""
import os
import re
import tempfile
import unittest
import warnings

import numpy as np
import pm
import pm.halide as hl

x, y = hl.vars("x y")


def line_of(mark):
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, text in enumerate(file, 1) if f"# {mark}\n" in text)


class Mistakes(unittest.TestCase):
    def refused(self, call, text, kind=pm.CompileError, mark=None):
        with self.assertRaises(kind) as raised:
            call()
        self.assertRegex(str(raised.exception), text)
        if mark:
            first = raised.exception.diagnostics[0]
            self.assertEqual((os.path.basename(first.filename), first.lineno), (os.path.basename(__file__), line_of(mark)))
        return raised.exception

    def test_at_once(self):
        f = hl.Func("f")
        self.refused(lambda: f[x] + 1, "f is read before it is defined", mark="undefined")  # undefined
        self.refused(lambda: f[x + 1] + 1 if f.__setitem__(x + 1, 2) else 0, "is no Var")
        f[x] = hl.u8(x)
        self.refused(lambda: f.__setitem__(x, 1000), "value of type int32, its first definition has uint8")
        self.refused(lambda: f[x, y] + 1, "f is called with 2 arguments, it has 1")
        self.refused(lambda: f[x] + 300, "300 does not fit uint8")
        self.refused(lambda: f[hl.f32(x)] + 1, "an index of f has type float")
        self.refused(lambda: f.split(y, hl.Var("yo"), hl.Var("yi"), 4), "y", mark="split")  # split
        self.refused(lambda: hl.RDom([(0, 3)]).where(x + 1), "the predicate has type int32")
        np.testing.assert_array_equal(f.realize([3]), [0, 1, 2])  # as it was before all this

    def test_updates_after_uses(self):
        f, g, h = hl.funcs("f g h")
        f[x] = x
        g[x] = f[x] + 1  # reader
        error = self.refused(lambda: f.__setitem__(x, 3), "f is updated after the definition of g has read it", mark="update")  # update
        note, = error.diagnostics[0].notes
        self.assertEqual((note.text, note.lineno), ("it is read here", line_of("reader")))
        h[x] = g[x]
        np.testing.assert_array_equal(h.realize([3]), [1, 2, 3])
        self.refused(lambda: h.__setitem__(0, 3), "h is updated after a pipeline has it as an output", mark="output")  # output

    def test_one_frame(self):
        try:
            hl.Func("f")[x] + 1
        except pm.CompileError as error:
            frames, trace = [], error.__traceback__
            while trace:
                frames.append(trace.tb_frame.f_code.co_filename)
                trace = trace.tb_next
            self.assertEqual(frames, [__file__])

    def test_later(self):
        image = hl.Buffer(np.zeros((4, 6), "u1"), "image")
        f = hl.Func("f")
        f[x, y] = image[x - 1, y]  # outside
        self.refused(lambda: f.realize([4, 4]), "image is read", mark="outside")
        g = hl.Func("g")
        g[x, y] = image[x + 1, y]
        self.refused(lambda: g.realize([6, 4]), "outside of what the function was made for", pm.ShapeError)
        self.assertEqual(np.asarray(g.realize([5, 4])).shape, (4, 5))
        producer, consumer = hl.funcs("producer consumer")
        producer[x] = x
        consumer[x] = producer[x]
        other = hl.Func("other")
        other[x] = consumer[x]
        producer.compute_at(other, x)
        consumer.compute_root()
        self.refused(lambda: other.realize([4]), "producer is placed at the loop x of other")

    def test_arguments(self):
        f, image, n = hl.Func("f"), hl.ImageParam(hl.UInt(8), 1, "image"), hl.Param(hl.UInt(8), "n")
        f[x] = image[x] + n
        self.refused(lambda: f.realize([3]), "the ImageParam image is not set", pm.ArgumentError)
        self.refused(lambda: image.set(np.zeros(3)), "is float64 of 1 dimensions", pm.DTypeError)
        image.set(np.zeros(3, "u1"))
        self.refused(lambda: f.realize([3]), "the Param n has no value", pm.ArgumentError)
        n.set(300)
        self.refused(lambda: f.realize([3]), "n is 300; it should be uint8", pm.ArgumentError)
        n.set(1)
        self.refused(lambda: f.realize([9]), "outside of what the function was made for", pm.ShapeError)
        self.refused(lambda: f.realize(hl.Buffer(hl.Int(8), [3])), "a Buffer is int8 of 1 dimensions", pm.ArgumentError)
        self.refused(lambda: hl.Func("g").realize([3]), "g has no definition", pm.ArgumentError)
        self.refused(lambda: hl.Buffer(np.zeros((2, 3)))[3, 0], "index 3 is out of bounds for axis 0", IndexError)

    def test_conditions(self):
        self.refused(lambda: 1 if (x > 1) and y else 0, "'&'/'|' operators instead", ValueError)

    def test_floats(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            hl.f32(x) * 0.5
            self.assertEqual(said, [])
            hl.f32(x) * 0.1  # inexact
        self.assertEqual((said[0].category, said[0].lineno), (RuntimeWarning, line_of("inexact")))

    def test_missing(self):
        f = hl.Func("f")
        f[x] = x
        for call, name in ((lambda: hl.generator, "generator"), (lambda: hl.print, "print"), (lambda: f.compile_to_c, "Func.compile_to_c"),
                           (lambda: f.define_extern, "Func.define_extern"), (lambda: hl.Target("x86-64-beos"), "beos of Target"),
                           (lambda: f.realize([2], hl.Target("arm-64-linux")), "the target arm-64-linux"),
                           (lambda: hl.Pipeline(f).get_func, "Pipeline.get_func"), (lambda: hl.Int(8, 4), "lanes"),
                           (lambda: f.realize([2], hl.Target().with_feature(hl.TargetFeature.CUDA)), "cuda")):
            error = self.refused(call, re.escape(name), NotImplementedError)
            self.assertIsInstance(error, AttributeError)
        self.refused(lambda: hl.nothing, "no attribute 'nothing'", AttributeError)
        self.refused(lambda: f.split(x, hl.Var("a"), hl.Var("b"), size=3), "'size' by name", TypeError)
        with self.assertWarnsRegex(pm.errors.PipelineWarning, "print_loop_nest of f prints nothing"):
            f.print_loop_nest()

    def test_names_of_halide(self):
        """Each name of the package halide 21 is here, or is refused by its name."""
        here = 0
        with open(os.path.join(os.path.dirname(__file__), "halide_names.txt"), encoding="utf-8") as file:
            names = file.read().split()
        for name in names:
            try:
                getattr(hl, name)
                here += 1
            except NotImplementedError as error:
                self.assertIn(name, str(error))
        self.assertGreater(here, 150)
        self.assertEqual(set(hl.__all__) - set(names), {"CompileError"})

    def test_pmir(self):
        blur = hl.Func("blur")
        blur[x] = x * 2  # place
        self.assertIn(f'halide_mistakes.py":{line_of("place")}:', blur.pmir())
        self.assertIn("stage.pipeline @blur", blur.pmir())
        unnamed = hl.Func()
        unnamed[x] = blur[x] + 1
        self.assertIn("stage.pipeline @unnamed", unnamed.pmir())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "loops.html")
            blur.compile_to_lowered_stmt(path, [], hl.StmtOutputFormat.HTML)
            with open(path, encoding="utf-8") as file:
                self.assertIn("for (int64_t", file.read())


if __name__ == "__main__":
    unittest.main(verbosity=0)
