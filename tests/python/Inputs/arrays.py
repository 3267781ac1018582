"""Arrays of every layout have the same result, or are refused with a reason."""
import unittest

import numpy as np
import pm
from programs import Elsewhere, Lent, blur, blurred, error, picture, two

f = blur().build()
IS = "img is float32 [R + 2, C + 2]"


class Layouts(unittest.TestCase):
    def same(self, img):
        np.testing.assert_allclose(f(img), blurred(np.asarray(img)), rtol=1e-5)

    def test_inputs(self):
        a, planes = picture(40, 60), picture(40, 60, 3)
        for img in (a, a[3:20, 5:40], a[::-1], a[:, ::-1], a[::2, ::3], a.T, np.asfortranarray(a), planes[..., 1],
                    planes[..., ::-1][:, :, 0], np.broadcast_to(a[:1], (9, 60)), np.broadcast_to(a[:, :1], (40, 9)),
                    np.broadcast_to(np.float32(3), (5, 5))):
            with self.subTest(shape=img.shape, strides=img.strides):
                self.same(img)

    def test_read_only_and_other_owners(self):
        a = picture(8, 9)
        a.flags.writeable = False
        self.same(a)
        np.testing.assert_array_equal(f(memoryview(a)), f(a))
        np.testing.assert_array_equal(f(Lent(picture(8, 9))), f(a))
        np.testing.assert_array_equal(f(Lent(picture(9, 8).T)), f(picture(9, 8).T))

    def test_odd_places(self):
        """Elements that are not whole elements apart, or begin between two."""
        records = np.zeros((7, 8), np.dtype([("a", "u1"), ("b", "f4"), ("c", "u2")]))
        records["b"] = picture(7, 8)
        self.same(records["b"])
        shifted = np.frombuffer(b"\0" + picture(6, 6).tobytes(), "f4", offset=1).reshape(6, 6)
        np.testing.assert_array_equal(f(shifted), f(picture(6, 6)))
        self.assertEqual(error(lambda: f(picture(9, 10), out=records["b"])),
                         "ArgumentError: out= of blur cannot be written to: its elements are not whole elements apart, as those of a "
                         "field of records. Give an array of its own, numpy.empty((7, 8), 'float32')")
        twice = np.lib.stride_tricks.as_strided(np.zeros(8, "f4"), (7, 8), (0, 4))
        self.assertEqual(error(lambda: f(picture(9, 10), out=twice)),
                         "ArgumentError: out= of blur cannot be written to: its elements lie on each other, as a broadcast array's do. "
                         "Give an array of its own, numpy.empty((7, 8), 'float32')")

    def test_no_elements(self):
        self.assertEqual(f(np.empty((2, 7), "f4")).shape, (0, 5))
        self.assertEqual(f(np.empty((2, 2), "f4"), out=np.empty((0, 0), "f4")).shape, (0, 0))
        self.assertEqual(error(lambda: f(np.empty((0, 0), "f4"))),
                         "ShapeError: blur would be (-2, -2): it is float32 [R, C] with R = -2, C = -2. Give a larger input")

    def test_sizes_beyond_their_type(self):
        """Rows of one element, so that no memory is touched."""
        img = np.lib.stride_tricks.as_strided(np.zeros(1, "f4"), (2**31 + 9, 3), (0, 0))
        self.assertEqual(error(lambda: f(img)), f"ShapeError: img is (2147483657, 3); {IS}")

    def test_bool(self):
        invert = pm.Pipeline("""
            #include "Halide.h"
            using namespace Halide;
            class T : public Generator<T> { public:
              Input<Buffer<bool, 2>> in{"in"}; Output<Buffer<bool, 2>> res{"res"};
              void generate() { Var x, y; res(x, y) = !in(x, y); } };
            HALIDE_REGISTER_GENERATOR(T, invert)""", "invert.cpp")
        a = np.array([[1, 0, 1], [0, 0, 1]], "?")
        np.testing.assert_array_equal(invert(a, out=np.empty((2, 3), "?")), ~a)
        np.testing.assert_array_equal(invert(a, res_extent_0=2, res_extent_1=1), ~a[:1, :2])
        self.assertIn("in is uint8 (2, 3); in is bool [in_extent_1, in_extent_0]", error(lambda: invert(a.view("u1"))))


class Outputs(unittest.TestCase):
    def test_out(self):
        a = picture(10, 12)
        for out in (np.empty((8, 10), "f4"), np.empty((10, 8), "f4").T, np.empty((8, 10), "f4")[::-1]):
            self.assertIs(f(a, out=out), out)
            np.testing.assert_array_equal(out, f(a))
        for crop in ((slice(3, 11), slice(7, 17)), (slice(0, 16, 2), slice(0, 30, 3))):
            large = np.full((30, 40), -1, "f4")
            f(a, out=large[crop])
            np.testing.assert_array_equal(large[crop], f(a))
            self.assertEqual((large == -1).sum(), 30 * 40 - 80)
        lent = Lent(np.zeros((8, 10), "f4"))
        self.assertIs(f(a, out=lent), lent)
        np.testing.assert_array_equal(lent.array, f(a))

    def test_refused(self):
        a = picture(10, 10)
        constant = np.empty((8, 8), "f4")
        constant.flags.writeable = False
        overlap = "ArgumentError: out= of blur has memory of img: an output overlaps no other array. Leave out= out, or give a copy"
        for out, text in (
            (constant, "ArgumentError: out= of blur is read-only"),
            (a[1:9, 1:9], overlap), (a[:8, :8].view(), overlap), (a[1:9, 8:0:-1], overlap),
            (3, "DTypeError: out= of blur is an int, not an array: blur is float32 [R, C]"),
            (np.empty((8, 7), "f4"), "ShapeError: out= of blur is (8, 7); blur is float32 [R, C] with R = 8, C = 8"),
            (np.empty((8, 8), "f8"), "DTypeError: out= of blur is float64 (8, 8); blur is float32 [R, C]. Make it of float32"),
            (np.broadcast_to(np.empty((1, 8), "f4"), (8, 8)), "ArgumentError: out= of blur is read-only"),
        ):
            self.assertEqual(error(lambda: f(a, out=out)), text)
        itself = np.lib.stride_tricks.as_strided(np.empty(8, "f4"), (8, 8), (0, 4))
        self.assertIn("its elements lie on each other", error(lambda: f(a, out=itself)))

    def test_between_each_other(self):
        """Elements of one array lie between the other's, and none is of both."""
        pair = np.zeros((10, 10, 2), "f4")
        pair[..., 0] = picture(10, 10)
        f(pair[..., 0], out=pair[1:9, 1:9, 1])
        np.testing.assert_array_equal(pair[1:9, 1:9, 1], f(picture(10, 10)))

    def test_several(self):
        g, img = two(), np.arange(12, dtype="u1").reshape(3, 4)
        made = g(img, gain=0.5)
        np.testing.assert_array_equal(made.dark, img * 0.5)
        np.testing.assert_array_equal(made.rows, [0, 5, 10])
        out = np.empty((3, 4), "f4"), np.empty(3, "i4")
        self.assertIs(g(img, gain=2, out=out), out)
        np.testing.assert_array_equal(out[0], img * 2)
        self.assertEqual(error(lambda: g(img, gain=1, out=out[0])), "TypeError: out= should be a tuple of 2 arrays: dark, rows")
        block = np.empty(15, "f4")
        self.assertIn("out= of rows has memory of dark",
                      error(lambda: g(img, gain=1, out=(block[:12].reshape(3, 4), block[11:14].view("i4")))))


class Types(unittest.TestCase):
    def test_refused(self):
        a = picture(10, 10)
        class Unknown:
            dtype = np.dtype("V2")
        for value, text in (
            (a.astype(">f4"), f"DTypeError: img is float32 (10, 10); {IS}. Its bytes are in the other order: "
             "img.astype('float32') puts them in this processor's"),
            (a.astype("f8"), f"DTypeError: img is float64 (10, 10); {IS}. Convert it: img.astype('float32')"),
            (a.astype("f2"), f"DTypeError: img is float16 (10, 10); {IS}. Convert it: img.astype('float32')"),
            (a.astype("u1"), f"DTypeError: img is uint8 (10, 10); {IS}. Convert it: img.astype('float32')"),
            (a.astype("c8"), f"DTypeError: img is complex64 (10, 10); {IS}. Convert it: img.astype('float32')"),
            (a.astype("M8[s]"), f"DTypeError: img is datetime64[s] (10, 10); {IS}. Convert it: img.astype('float32')"),
            (np.zeros((4, 5, 3), "u1"), f"DTypeError: img is uint8 (4, 5, 3); {IS}. Make it gray: img.mean(2, dtype='float32')"),
            (np.zeros((4, 5, 3), "f4"), f"ShapeError: img is float32 (4, 5, 3); {IS}. Make it gray: img.mean(2, dtype='float32')"),
            (np.zeros(4, "f4"), f"ShapeError: img is float32 (4,); {IS}. It has 1 dimension, and should have 2"),
            (b"abcd", f"DTypeError: img is of format 'B' (4,); {IS}. Convert it: numpy.asarray(memoryview(img), 'float32')"),
            ([[1.0]], f"DTypeError: img is a list, not an array: {IS}. Make it one: numpy.asarray(img, 'float32')"),
            (None, f"DTypeError: img is a NoneType, not an array: {IS}. Make it one: numpy.asarray(img, 'float32')"),
            (Lent(a.astype("u1")), f"DTypeError: img is a Lent of another type or rank; {IS}. Convert it: numpy.from_dlpack(img).astype('float32')"),
            (Elsewhere(a), "DTypeError: img is on another device: bring it to the processor's memory first, as .cpu() does"),
        ):
            self.assertEqual(error(lambda: f(value)), text)

    def test_floats_for_bytes(self):
        f = pm.Pipeline("""
R = Parameter(Int, "R")
img = Image(UChar, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 0, R - 1)]), UChar, "f")
f.defn = img(x)
""", "bytes.py")
        self.assertEqual(error(lambda: f(np.zeros(4, "f4"))),
                         "DTypeError: img is float32 (4,); img is uint8 [R]. Convert it: img.astype('uint8'), or where it has "
                         "values of 0 to 1, (img * 255).round().astype('uint8')")

    def test_order_of_bytes(self):
        g = pm.Pipeline('R = Parameter(Int, "R")\na = Image(UShort, "a", [R])\nx = Variable(Int, "x")\n'
                        'b = Function(([x], [Interval(Int, 0, R - 1)]), UShort, "b")\nb.defn = [a(x)]\n', "b.py")
        np.testing.assert_array_equal(g(np.arange(5, dtype="u2")), np.arange(5))
        self.assertIn("Its bytes are in the other order: a.astype('uint16')", error(lambda: g(np.arange(5, dtype=">u2"))))
        self.assertIn("a is int16 (5,)", error(lambda: g(np.arange(5, dtype="i2"))))


if __name__ == "__main__":
    unittest.main()
