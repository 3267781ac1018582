"""Objects of a pipeline as Python's own: places, sessions, numbers of numpy, what cannot be done with them."""
import builtins
import linecache
import math
import operator
import pickle
import re
import threading
import unittest

import numpy as np

import pm
from pm import errors
from pm.constructs import *
from pm import constructs



def program(*args, **named):
    return constructs.program(*args, depth=1, **named)[1]


R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
domain = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])


def stage(value, **named):
    f = Function(domain, Float, **named)
    f.defn = [value]
    return f


def plain(text):
    return re.sub(r" loc\(.*?\)", "", text)


class Objects(unittest.TestCase):
    def error(self, function, text):
        with self.assertRaises(errors.CompileError) as caught:
            function()
        self.assertRegex(str(caught.exception), text)
        return caught.exception

    def test_places(self):
        def wrong():
            return (1 +
                    img(x))  # here

        with open(__file__, encoding="utf-8") as file:
            line = next(n for n, text in enumerate(file, 1) if "# here" in text)
        error = self.error(wrong, "the image img is read with 1 index")
        self.assertEqual((error.filename, error.lineno, error.offset), (__file__, line, 21))

    def test_one_frame(self):
        try:
            img(x)
        except errors.CompileError as error:
            self.assertIsNone(error.__cause__)
            frames, trace = [], error.__traceback__
            while trace:
                frames.append(trace.tb_frame.f_code.co_filename)
                trace = trace.tb_next
            self.assertEqual(frames, [__file__])

    def test_messages_of_passes(self):
        f = stage(img(x, y) * 2, name="f")
        g = stage(f(x - 1, y), name="g")
        error = self.error(lambda: pm.compile(g).build(), "f.-1, 0. is read for x = 0")
        with open(__file__, encoding="utf-8") as file:
            lines = file.read().splitlines()
        line = next(n for n, text in enumerate(lines, 1) if "f(x - 1, y)" in text)
        self.assertEqual((error.filename, error.lineno, error.text), (__file__, line, lines[line - 1]))
        notes = [d.text for d in error.diagnostics[0].notes]
        self.assertEqual(len(notes), len(set(notes)))
        self.assertEqual(str(error).count("stays inside"), 1)

    def test_compiled(self):
        f = pm.compile(stage(img(x, y) * 2), name="twice")
        picture = np.arange(12, dtype="f4").reshape(3, 4)
        self.assertEqual(f.name, "twice")
        np.testing.assert_array_equal(f(picture), picture * 2)
        again = pickle.loads(pickle.dumps(f))
        np.testing.assert_array_equal(again(picture), picture * 2)

    def test_names_of_variables(self):
        blurred = stage(img(x, y) * 2)
        parts = [stage(blurred(x, y) + k) for k in range(2)]
        text = program(parts)
        self.assertEqual(re.findall(r"stage.func @(\w+)", text), ["blurred", "parts_0", "parts_1"])

    def test_sessions_end(self):
        f = stage(img(x, y) * 2, name="f")
        g = stage(f(x, y) + 1, name="g")
        first = program(g, name="p")
        h = stage(g(x, y) - f(x, y), name="h")
        second = program([h, f], name="p")
        self.assertEqual(plain(first), plain(program(g, name="p")))
        self.assertIn("stage.output @h", second)
        self.assertNotIn("@h", first)

    def test_a_mistake_leaves_the_stage(self):
        f = Function(domain, Float, "f")
        self.error(lambda: setattr(f, "defn", [img(x, y), "text"]), "the definition is the string 'text'")
        f.defn = img(x, y)
        self.assertIn("stage.read @img", program(f))

    def test_definitions_are_appended(self):
        f = Function(domain, Float, "f")
        f.defn = [Case(x < 3, 1)]
        f.defn.append(Case(x >= 3, img(x, y)))
        self.assertEqual(program(f).count("stage.case"), 2)

    def test_lists_are_taken_as_they_are(self):
        kernel = [[1, 2, 1]]
        f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 1, C - 2)]), Float, "f")
        f.defn = Stencil(img(x, y), 0.25, kernel)
        before = program(f)
        kernel[0][1] = 7
        self.assertEqual(plain(before), plain(program(f)))

    def test_numbers_of_numpy(self):
        values = np.array([[1, 2, 1]], dtype="i8")
        plain = stage(img(x, y) * 2 + 0.5, name="f")
        ours = stage(np.int64(2) * img(x, y) + np.float64(0.5), name="f")
        self.assertIn("stage.read", program(plain))
        self.assertEqual(program(plain).count("arith.mulf"), program(ours).count("arith.mulf"))
        f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 1, C - 2)]), Float, "f")
        f.defn = Stencil(img(x, y), np.float32(0.25), values)
        self.assertIn("arith.constant 0.25", program(f))

    def test_functions_of_numpy(self):
        same = stage(np.sqrt(img(x, y)) + np.multiply(np.float32(2), img(x, y)), name="f")
        own = stage(Sqrt(img(x, y)) + 2.0 * img(x, y), name="f")
        self.assertEqual(plain(program(same)), plain(program(own)))
        self.error(lambda: np.where(x > 1, img(x, y), 0), "numpy.where is for arrays, Select.condition, a, b. should be")
        self.error(lambda: np.minimum(img(x, y), 1), "numpy.minimum is for arrays, Min.a, b.")
        error = self.error(lambda: np.clip(img(x, y), 0, 1), "numpy.(clip|maximum|minimum)")
        self.assertEqual(error.filename, __file__)
        self.error(lambda: np.add.reduce([img(x, y)]) if False else np.cumsum(img(x, y)), "numpy.cumsum")

    def test_types_of_numpy(self):
        f = Function(domain, np.uint8, "f")
        f.defn = Cast(np.dtype("uint8"), img(x, y))
        g = Function(domain, UChar, "f")
        g.defn = Cast(UChar, img(x, y))
        self.assertEqual(plain(program(f)), plain(program(g)))

    def test_definitions_are_added(self):
        f = Function(domain, Float, "f")
        f.defn = [Case(x < 3, 1)]
        f.defn += [Case(x >= 3, img(x, y))]
        self.assertEqual(program(f).count("stage.case"), 2)

    def test_many_operations(self):
        value = img(x, y)
        for k in range(20000):
            value = value + 1
        self.assertGreater(program(stage(value, name="f")).count("arith.addf"), 19999)

    def test_threads(self):
        texts = []

        def build():
            for k in range(20):
                texts.append(program(stage(img(x, y) * 2, name="f"), name="p"))

        threads = [threading.Thread(target=build) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(set(texts)), 1)

    def test_conditions_have_no_truth(self):
        self.error(lambda: 1 if x > 3 else 2, "Select.condition, a, b. should test it")
        self.error(lambda: 0 < x < 3, "comparisons in a chain")
        self.error(lambda: x > 0 & y > 0, "join should be in parentheses, as in .x > 0. & .y > 0.")
        self.error(lambda: x == 0 | y == 0, "join should be in parentheses")
        self.error(lambda: x > 1 and y > 2, "'&' should replace 'and'")
        self.error(lambda: x in [y], "is tested while the program is read")
        self.assertIn(x, [x])
        self.assertEqual(len({x, y, x}), 2)

    def test_python_asks_for_numbers(self):
        self.error(lambda: range(R), "range.. is given the parameter R")
        self.error(lambda: int(x), "int.. is given the variable x")
        self.error(lambda: img + 1, "without indices")
        self.error(lambda: [v for v in img], "the image img")
        self.assertRaises(AttributeError, lambda: img.no_such_thing)
        self.assertFalse(hasattr(img, "compute_root"))
        self.assertRaises(TypeError, lambda: img(x, object()))
        self.assertRaises(OverflowError, lambda: x + 2 ** 80)
        self.assertRaises(TypeError, lambda: pickle.dumps(img))

    def test_functions_of_numbers(self):
        self.error(lambda: max(img(x, y), 0.5), "max.. is given a value of img, it should be given numbers; Max is for values of stages")
        self.error(lambda: min(1, x, y), "min.. is given the variable x, it should be given numbers; Min is")
        self.error(lambda: max([img(x, y), 2, 3]), "Max is for values")
        self.error(lambda: round(img(x, y)), "'round' is not part of the language, Cast.Int, value . 0.5. is")
        self.error(lambda: math.sqrt(img(x, y)), "sqrt.. is given a value of img, it should be given a number; Sqrt is for")
        self.error(lambda: math.pow(img(x, y), 2), "Pow.base, exponent. should be written")
        self.error(lambda: math.floor(img(x, y)), "floor.. is given a value of img")
        self.error(lambda: math.hypot(img(x, y), 2), "math.hypot is for numbers")
        self.error(lambda: float(img(x, y)), "Cast.Float, …. converts")
        self.error(lambda: [1, 2][x], "what is indexed is of Python, a Table")
        self.error(lambda: np.zeros(R), "zeros.. should be given an integer that is known")
        self.error(lambda: sorted([img(x, y), 2.0]), "is tested while the program is read")

    def test_cells_that_run_again(self):
        """As in a notebook: a cell that has run again makes other objects of the same names, at the same places."""
        space = {name: getattr(constructs, name) for name in constructs.__all__}

        def cell(number, text):
            name = f"<cell {number}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            exec(builtins.compile(text, name, "exec"), space)
            return text

        sizes = cell(0, "R = Parameter(Int, 'R')\nimg = Image(Float, 'img', [R])\n")
        variables = cell(1, "x = Variable(Int, 'x')\n")
        stages = cell(2, "f = Function(([x], [Interval(Int, 0, R - 1)]), Float, 'f')\n")
        cell(1, variables)
        cell(3, "f.defn = img(x) + x\n")
        error = self.error(lambda: program(space["f"]), "the variable x is not one of the stage f")
        (note,) = error.diagnostics[0].notes
        self.assertIn("two variables named x are made here, as by code that runs again", note.text)
        self.assertEqual((note.filename, note.lineno, error.filename), ("<cell 1>", 1, "<cell 3>"))
        cell(4, "x = Variable(Int, 'x')\nf = Function(([x], [Interval(Int, 0, R - 1)]), Float, 'f')\n")
        cell(1, variables)
        cell(3, "f.defn = img(x) + x\n")
        error = self.error(lambda: program(space["f"]), "the variable x is not one of the stage f")
        self.assertEqual([(n.filename, n.text) for n in error.diagnostics[0].notes],
                         [("<cell 1>", "two variables are named x: the one that is used is made here"),
                          ("<cell 4>", "the one of the domain is made here, one of them should replace the other")])
        cell(2, stages)
        cell(3, "f.defn = img(x) + x\n")
        self.assertIn("stage.func @f", program(space["f"]))
        cell(0, sizes)
        cell(5, "g = Function(([x], [Interval(Int, 0, R - 1)]), Float, 'g')\ng.defn = f(x)\n")
        error = self.error(lambda: program(space["g"]), "a parameter is named 'R', which is the name of a parameter already")
        self.assertIn("made here more than once", error.diagnostics[0].notes[0].text)

    def test_requirements(self):
        f = stage(img(x, y), name="f")
        S = Parameter(Int, "S")
        g = Image(Float, "g", [S])
        h = Function(([x], [Interval(Int, 0, S - 1)]), Float, "h")
        h.defn = g(x)
        Require(S >= 8)
        self.assertIn("S >= 8", program(h))
        self.assertNotIn("S", program(f).split("context")[1].split(">")[0].replace("Set", ""))

    def test_nothing_to_compile(self):
        with self.assertRaises(errors.CompileError) as caught:
            pm.compile([])  # nothing
        self.assertIn("# nothing", caught.exception.text)
        self.error(lambda: pm.compile([img]), "the pipeline returns the image img, it should return stages")

    def test_operators(self):
        for word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge"):
            getattr(operator, word)(x, 2), getattr(operator, word)(2, x)
        self.assertIsInstance(-x + abs(img(x, y)), constructs.Expression)
        self.assertIsInstance(~(x > 1) if False else x + 1, constructs.Expression)
        self.assertEqual(Min(3, 4), 3)

    def test_constants_and_ranges(self):
        T = Parameter(Int, "T")
        lut = Image(Float, "lut", [256])
        labels = Image(Float, "labels", [R])
        f = Function(([x], [Interval(Int, 0, R - 1)]), Float, "f")
        f.defn = lut(Cast(Int, labels(x) * 255))
        self.assertIn("stage.func @f", program(f, range={"labels": (0, 1)}))
        self.assertIn("stage.func @f", program(f, range={"labels": "0:1"}))


unittest.main()
