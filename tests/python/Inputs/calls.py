"""Arguments, sizes, messages, and what a function says of itself."""
import gc
import inspect
import os
import pickle
import sys
import tempfile
import traceback
import tracemalloc
import unittest

import numpy as np
import pm
from programs import BLUR, PIPELINES, blur, error, picture, two

f, g = blur().build(), two()
SIGNATURE = "(img: float32[R + 2, C + 2], *, out=None) -> blur: float32[R, C]"


class Arguments(unittest.TestCase):
    def test_names(self):
        a = picture(10, 12)
        for result in (f(img=a), f(a, R=8), f(img=a, R=np.int64(8), C=10), f(a, out=None)):
            np.testing.assert_array_equal(result, f(a))

    def test_refused(self):
        a, u = picture(10, 12), np.zeros((2, 3), "u1")
        for call, text in (
            (lambda: f(a, R=5), "ShapeError: img is (10, 12); img is float32 [R + 2, C + 2] with R = 5, C = 10"),
            (lambda: f(a, R=2.5), "DTypeError: R is 2.5; it should be int32"),
            (lambda: f(a, R=2**31), "ArgumentError: R is 2147483648; it should be int32"),
            (lambda: f(a, R=2**70), f"ArgumentError: R is {2**70}; it should be int32"),
            (lambda: g(u, gain="much"), "DTypeError: gain is 'much'; it should be float32"),
            (lambda: g(u), "TypeError: dark() needs gain, float32. Give gain=…"),
            (lambda: f(), "TypeError: blur() is not given img, float32 [R + 2, C + 2]"),
            (lambda: f(a, a), "TypeError: blur() takes 1 array by place, and 2 are given; others have names"),
            (lambda: f(a, img=a), "TypeError: blur() is given img twice"),
            (lambda: f(a, blur=a), f"TypeError: blur() has no parameter 'blur'; it is blur{SIGNATURE}"),
            (lambda: f(a, gain=a), f"TypeError: blur() has no parameter 'gain'; it is blur{SIGNATURE}"),
        ):
            self.assertEqual(error(call), text)

    def test_two_inputs(self):
        h = pm.load(os.path.join(PIPELINES, "blending.py"))
        z = np.zeros
        self.assertEqual(error(lambda: h(z((3, 70, 80), "f4"), z((3, 70, 80), "f4"), z((70, 81), "f4"))),
                         "ShapeError: mask is (70, 81); mask is float32 [R + 60, C + 60] with R = 10, C = 20")

    def test_sizes_with_factors(self):
        h = pm.Pipeline('N = Parameter(Int, "N")\na = Image(Float, "a", [2 * N + 1, 9 - N])\nx = Variable(Int, "x")\n'
                        'b = Function(([x], [Interval(Int, 0, N - 1)]), Float, "b")\nb.defn = [a(2 * x, 0)]\n', "b.py")
        self.assertEqual(h.signature, "(a: float32[2*N + 1, 9 - N], *, out=None) -> b: float32[N]")
        self.assertEqual(h(np.ones((7, 6), "f4")).shape, (3,))
        self.assertEqual(error(lambda: h(np.ones((8, 6), "f4"))), "ShapeError: a is (8, 6); a is float32 [2*N + 1, 9 - N]")
        self.assertEqual(error(lambda: h(np.ones((7, 7), "f4"))), "ShapeError: a is (7, 7); a is float32 [2*N + 1, 9 - N] with N = 3")

    def test_sizes_of_outputs(self):
        h = pm.load(os.path.join(PIPELINES, "halide", "blur.cpp"))
        a = np.arange(20 * 30, dtype="u2").reshape(20, 30)
        self.assertEqual(error(lambda: h(a)), "TypeError: blur() needs blurred_extent_0, int32: no shape says what it is. Give "
                         "blurred_extent_0=…, or out= of uint16 [blurred_extent_1, blurred_extent_0]")
        np.testing.assert_array_equal(h(a, blurred_extent_0=28, blurred_extent_1=18), h(a, out=np.empty((18, 28), "u2")))
        self.assertEqual(error(lambda: h(a, out=np.empty((18, 29), "u2"))),
                         "ShapeError: blur: an argument is outside of what the function was made for: 0 < blurred_extent_0 <= "
                         "in_extent_0 - 2 and 0 < blurred_extent_1 <= in_extent_1 - 2")


class Errors(unittest.TestCase):
    def test_program(self):
        bad = BLUR.replace("[R + 2, C", "[R + 2, Q")
        with self.assertRaises(pm.CompileError) as raised:
            pm.Pipeline(bad, "bad.py")(picture(4, 4))
        e = raised.exception
        self.assertEqual((e.filename, e.lineno, e.offset, e.text), ("bad.py", 2, 35, bad.splitlines()[1]))
        self.assertEqual(str(e), "bad.py:2:35: error: 'Q' is not defined, an assignment or --const Q=<value> should define it\n"
                         f"{bad.splitlines()[1]}\n{' ' * 34}^")
        self.assertEqual([d.kind for d in e.diagnostics], ["error"])
        self.assertIs(type(pickle.loads(pickle.dumps(e))), pm.CompileError)

    def test_notes(self):
        twice = BLUR + BLUR.splitlines()[3] + "\n" + BLUR.splitlines()[4] + "\n"
        with self.assertRaises(pm.CompileError) as raised:
            pm.Pipeline(twice, "twice.py").build()
        notes = [n for d in raised.exception.diagnostics for n in d.notes]
        self.assertEqual([(n.kind, n.lineno) for n in notes], [("note", 4)])
        self.assertIn(f"twice.py:4:8: note: {notes[0].text}", str(raised.exception))

    def test_options(self):
        self.assertEqual(error(lambda: blur(fp="exact").build()),
                         "CompileError: error: fp is 'exact', it should be strict, contract or fast")
        self.assertEqual(error(lambda: blur(speed=3)), "TypeError: there is no option 'speed'")
        self.assertEqual(error(lambda: pm.Pipeline(BLUR, "blur.txt").build()),
                         "CompileError: error: the name 'blur.txt' does not tell the language of the program")
        self.assertIn("'none-such'", error(lambda: blur(target="c", compiler="none-such").build()))
        self.assertIn("python -m pm doctor", error(lambda: blur(target="c", compiler="none-such").build()))

    def test_one_frame(self):
        """A traceback ends at the line of the call, whatever is wrong."""
        for call in (lambda: f(b"abcd"), lambda: f(picture(10, 12), R=1), lambda: blur(fp="exact").build(),
                     lambda: blur(fp="exact").signature, lambda: blur(fp="exact").outputs, lambda: blur(fp="exact").source,
                     lambda: blur(fp="exact").remarks, lambda: f.time(b"abcd"), lambda: pm.load("/dev/null").name,
                     lambda: f.shapes(img=3), lambda: f.region(blur=((0, 1), (0, 9)), img=picture(4, 4))):
            try:
                call()
            except (pm.Error, TypeError) as raised:
                names = [frame.name for frame in traceback.extract_tb(raised.__traceback__)]
                self.assertEqual(names, ["test_one_frame", "<lambda>"])
            else:
                self.fail()

    def test_hierarchy(self):
        for kind, other in ((pm.ShapeError, ValueError), (pm.DTypeError, TypeError), (pm.ExecutionError, RuntimeError)):
            self.assertTrue(issubclass(kind, pm.Error) and issubclass(kind, other))


class Says(unittest.TestCase):
    def test_signature(self):
        self.assertEqual(f.signature, SIGNATURE)
        self.assertEqual(g.signature, "(img: uint8[R, C], *, gain: float32, out=None) -> (dark: float32[R, C], rows: int32[R])")
        self.assertEqual(repr(f), f"<pm.Pipeline blur{SIGNATURE}>")
        self.assertEqual(repr(blur()), "<pm.Pipeline of blur.py, not compiled yet>")
        self.assertEqual(list(inspect.signature(f).parameters), ["img", "R", "C", "out", "threads", "workspace"])
        with self.assertRaises(AttributeError):
            f.threads = 1
        self.assertEqual((f.name, [p.name for p in f.parameters]), ("blur", ["R", "C", "img", "blur"]))

    def test_sizes(self):
        self.assertEqual(f.shapes(img=(480, 640)), {"blur": (478, 638)})
        self.assertEqual(f.shapes(R=3, C=4), {"blur": (3, 4)})
        self.assertEqual(f.shapes(img=picture(5, 6)), {"blur": (3, 4)})
        self.assertEqual(error(lambda: f.shapes(img=picture(5, 6, 3))),
                         "TypeError: img should be an array, or a shape of 2 numbers, float32 [R + 2, C + 2]; it is an array of shape "
                         "(5, 6, 3)")
        self.assertIn("it is 'ab'", error(lambda: f.shapes(img="ab")))
        self.assertEqual(g.shapes(img=(5, 6)), {"dark": (5, 6), "rows": (5,)})
        self.assertEqual(error(lambda: f.shapes(img=(480, 640), R=4)),
                         "ShapeError: img is (480, 640); img is float32 [R + 2, C + 2] with R = 4, C = 638")
        self.assertEqual(error(lambda: f.shapes(img=(480,))),
                         "TypeError: img should be an array, or a shape of 2 numbers, float32 [R + 2, C + 2]; it is (480,)")
        h = pm.load(os.path.join(PIPELINES, "histeq.py"))
        small, large = h.scratch_bytes(img=(100, 100)), h.scratch_bytes(R=1000, C=1000)
        self.assertTrue(0 < small <= large)

    def test_text(self):
        self.assertIn("blur", blur(target="c").source)
        self.assertIn("int blur(int32_t R, int32_t C,", blur(target="c").source)
        remark = next(r for r in f.remarks if r.stage == "group")
        self.assertEqual((remark.kind, remark.filename, remark.lineno), ("remark", "blur.py", 4))

    def test_processor(self):
        """Groups and tiles are for the machine of the processor; a remark names one that is only near."""
        tiles, others = ([r.text for r in h.remarks if r.stage == "tile"] for h in (blur(cpu="a64fx"), blur(machine="a64fx")))
        self.assertEqual(tiles, others)
        said = [r.text for r in blur(cpu="znver1").remarks if r.stage == "machine"]
        self.assertRegex("".join(said), r"^groups and tiles are for the machine znver2: the processor znver1 has no ")

    def test_time(self):
        timing = f.time(picture(10, 10), seconds=0.01)
        self.assertTrue(0 < timing.best <= timing.median < 1 and timing.runs >= 5)

    def test_pickle(self):
        h = pickle.loads(pickle.dumps(blur(fp="strict")))
        self.assertFalse(h.is_built)
        np.testing.assert_array_equal(h(picture(9, 9)), blur(fp="strict")(picture(9, 9)))
        again = pickle.loads(pickle.dumps(g))
        np.testing.assert_array_equal(again(np.ones((2, 2), "u1"), gain=2).rows, [1, 2])

    def test_options(self):
        h = pm.Pipeline('w = L * 2\n' + BLUR.replace("1.0 / 9", "w"), "l.py", const={"L": 0.5}, fp="strict", estimates={"R": 64})
        np.testing.assert_allclose(h(np.ones((4, 4), "f4")), 9)
        self.assertEqual(pm.build_info()["version"], pm.__version__)

    def test_options_of_halide(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "twice.h"), "w") as file:
                file.write("inline Halide::Expr twice(Halide::Expr e) { return e * 2; }\n")
            text = """
                #include "Halide.h"
                #include "twice.h"
                using namespace Halide;
                class One : public Generator<One> { public:
                  Input<Buffer<int32_t, 1>> in{"in"}; Output<Buffer<int32_t, 1>> res{"res"};
                  void generate() { Var x; res(x) = twice(in(x)); } };
                class Two : public Generator<Two> { public: Input<Buffer<int32_t, 1>> in{"in"}; Output<Buffer<int32_t, 1>> res{"res"};
                  void generate() { Var x; res(x) = in(x) + 1; } };
                HALIDE_REGISTER_GENERATOR(One, one)
                HALIDE_REGISTER_GENERATOR(Two, two)"""
            for generator, result in (("one", [0, 2, 4]), ("two", [1, 2, 3])):
                h = pm.Pipeline(text, "gen.cpp", generator=generator, include_dirs=[folder])
                np.testing.assert_array_equal(h(np.arange(3, dtype="i4"), res_extent_0=3), result)

    def test_bytes(self):
        self.assertEqual(pm.Pipeline(BLUR.encode(), "blur.py").signature, SIGNATURE)
        self.assertIn("bad.py:1:1: error", error(lambda: pm.Pipeline(b"\xff\xfe", "bad.py").build()))


class Memory(unittest.TestCase):
    def test_references(self):
        a, out, bad = picture(10, 10), np.empty((8, 8), "f4"), np.zeros((10, 10), "u1")
        def work():
            f(a, out=out)
            f(img=a, R=8)
            f.shapes(img=(10, 10))
            f.shapes(img=a)
            error(lambda: f.shapes(img="ab"))
            f.needs(blur=((0, 4), (0, 4)), img=(10, 10))
            f.needs(blur=np.s_[0:4, :4], img=a)
            error(lambda: f.needs(blur=np.s_[0:4, ::4], img=a))
            f.region(blur=((0, 4), (0, 4)), img=a)
            error(lambda: f(bad))
            error(lambda: f(a, R=3))
            error(lambda: f(a, out=a))
        for _ in range(50):
            work()
        counted = (a, out, bad, f, None, np.empty, np.dtype("f4"))
        gc.collect()
        before = [sys.getrefcount(x) for x in counted]
        for _ in range(1000):
            work()
        gc.collect()
        after = [sys.getrefcount(x) for x in counted]
        self.assertTrue(all(abs(x - y) < 500 for x, y in zip(before, after)), (before, after))

    def test_blocks(self):
        """10^5 calls leave nothing."""
        a, out = picture(10, 10), np.empty((8, 8), "f4")
        for n in (1000, 100000):
            tracemalloc.start()
            pages = resident()
            for _ in range(n):
                f(a, out=out)
                f(a)
            left, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        self.assertLess(left, 4000)
        self.assertLess(resident() - pages, 256)

    def test_functions_end(self):
        """Functions that are compiled and thrown away."""
        for i in range(12):
            h = blur()
            h(picture(5, 5))
            del h
            if i == 3:
                pages = resident()
        self.assertLess(resident() - pages, 1500)


def resident():
    """Pages of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])


if __name__ == "__main__":
    unittest.main()
