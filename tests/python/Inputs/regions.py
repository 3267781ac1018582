"""Boxes, computed from the windows that they need, are what the whole picture has there."""
import os
import unittest

import numpy as np
import pm
from programs import PIPELINES, blur, error, picture


class Boxes(unittest.TestCase):
    def in_parts(self, file, img, rows, columns, **scalars):
        f = pm.load(os.path.join(PIPELINES, file), fp="strict")
        whole = f(img, **scalars)
        parts, name = np.full_like(whole, -1), f.outputs[0].name
        for x in range(0, whole.shape[-2], rows):
            for y in range(0, whole.shape[-1], columns):
                box = [(0, n) for n in whole.shape]
                box[-2:] = (x, min(x + rows, whole.shape[-2])), (y, min(y + columns, whole.shape[-1]))
                need = f.needs(**{name: box}, img=img.shape)["img"]
                window = img[tuple(slice(*ends) for ends in need)].copy()
                out = parts[tuple(slice(*ends) for ends in box)]
                got = f.region(**{name: box}, img=window, origin={"img": [low for low, _ in need]}, shape={"img": img.shape},
                               out=out, **scalars)
                self.assertIs(got, out)
        np.testing.assert_array_equal(parts, whole)

    def test_harris(self):
        self.in_parts("harris.py", picture(90, 110), 32, 40)

    def test_unsharp(self):
        self.in_parts("unsharp.py", picture(3, 70, 80), 25, 33, threshold=0.01, weight=3)

    def test_pixels(self):
        """Windows of whole pixels are used in place, others copied; outputs are pixels, too."""
        f = pm.Pipeline("""
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C, 4], boundary="clamp")
x, y, c = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "c")
f = Function(([x, y, c], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 2)]), UChar, "f")
f.defn = [Case(Condition(c, "==", 0), img(x - 1, y, 1)), Case(Condition(c, ">", 0), (img(x, y + 2, c) + img(x, y, 1)) / 2)]
""", "pixels.py", fp="strict")
        for rows, columns in ((1, 1), (5, 7), (33, 48)):
            img = np.random.default_rng(rows).integers(0, 256, (rows, columns, 4), "uint8")
            wider = np.zeros((rows, columns + 3, 6), "uint8")
            wider[:, 1:-2, 1:-1] = img
            whole, box = f(img), ((0, (rows + 1) // 2), (columns // 3, columns), (0, 3))
            inside = tuple(slice(*ends) for ends in box)
            needs = f.needs(f=box, img=img)["img"]
            for of in (img, np.asfortranarray(img), wider[:, 1:-2, 1:-1], img[::-1][::-1]):
                out = np.zeros((*(high - low for low, high in box[:2]), 5), "uint8")
                f.region(f=box, img=of, out=out[..., 1:4])
                np.testing.assert_array_equal(out[..., 1:4], whole[inside])
                self.assertFalse(out[..., ::4].any())
                window = of[tuple(slice(*ends) for ends in needs)]
                got = f.region(f=box, img=window, origin={"img": [low for low, _ in needs]}, shape={"img": img.shape})
                np.testing.assert_array_equal(got, whole[inside])

    def test_needs(self):
        f = blur()
        self.assertEqual(f.needs(blur=((0, 2), (3, 4)), img=(10, 10)), {"img": ((0, 4), (3, 6))})
        self.assertEqual(f.needs(blur=((2, 2), (3, 3)), R=8, C=8), {"img": ((0, 0), (0, 0))})

    def test_boundary(self):
        """Reads that are mirrored at a border are hard to bound there; in the middle they are bounded, and stay inside."""
        f = pm.Pipeline("""
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C], boundary="mirror101")
x, y = Variable(Int, "x"), Variable(Int, "y")
mean = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "mean")
mean.defn = [Stencil(img(x, y), 1.0 / 25, [[1] * 5] * 5)]
""", "mean.py", fp="strict")
        self.assertEqual(f.needs(mean=((1000, 1200), (300, 310)), img=(2000, 2000)), {"img": ((998, 1202), (298, 312))})
        img = picture(40, 33)
        whole = f(img)
        for x in range(0, 40, 13):
            for y in range(0, 33, 9):
                box = ((x, min(x + 13, 40)), (y, min(y + 9, 33)))
                needs = f.needs(mean=box, img=img)["img"]
                window = img[tuple(slice(*ends) for ends in needs)].copy()
                got = f.region(mean=box, img=window, origin=[low for low, _ in needs], shape=img)
                np.testing.assert_array_equal(got, whole[tuple(slice(*ends) for ends in box)])

    def test_memory(self):
        """A call takes no more than it said; the second of a workspace nothing more."""
        f, img = pm.load(os.path.join(PIPELINES, "harris.py"), fp="strict"), picture(300, 200)
        for box in (((0, 4), (3, 6)), ((0, 300), (0, 200)), ((7, 290), (100, 101))):
            said = f.region_bytes(harris=box, img=img)
            with pm.Workspace() as workspace:
                f.region(harris=box, img=img, workspace=workspace)
                self.assertEqual(workspace.bytes, said)
        self.assertEqual(f.region_bytes(harris=((5, 5), (0, 9)), img=img), 0)
        self.assertRaisesRegex(pm.ShapeError, "is not inside of harris", f.region_bytes, harris=((0, 301), (0, 9)), img=img)
        self.assertEqual(f.sizes(img=(300, 200)), {"R": 298, "C": 198})

    def test_slices_and_arrays(self):
        f, a = blur(), picture(10, 10)
        self.assertEqual(f.needs(blur=np.s_[0:2, 3:4], img=a), {"img": ((0, 4), (3, 6))})
        self.assertEqual(f.needs(blur=np.s_[:, -2:], img=a), {"img": ((0, 10), (6, 10))})
        whole = f(a)
        np.testing.assert_array_equal(f.region(blur=np.s_[1:-1, :3], img=a[1:9, :5], origin=(1, 0), shape=a), whole[1:-1, :3])
        for box, text in ((np.s_[:, ::2], "blur should be a box"), (np.s_[0:2], "blur should be a box"),
                          (((0, 2), slice(0, 2)), "blur should be a box"), (np.s_[0:2, 3:60], "the box 0:2, 3:60 is not inside of blur"),
                          (np.s_[-9:2, 0:2], "the box -1:2, 0:2 is not inside of blur")):
            self.assertIn(text, error(lambda: f.needs(blur=box, img=a)))
        row = pm.Pipeline("""
R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")
f = Function(([x], [Interval(Int, 1, R - 1)]), Float, "f")
f.defn = img(x - 1)
""", "row.py")
        self.assertEqual(row.needs(f=slice(2, None), img=(9,)), {"img": ((2, 8),)})
        self.assertEqual(row.needs(f=np.s_[2:5,], img=a[0]), {"img": ((2, 5),)})

    def test_some_boxes_are_empty(self):
        f = pm.Pipeline("""
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
a = Function(points, Float, "a")
a.defn = img(x, y)
b = Function(points, Float, "b")
b.defn = 2 * img(x, y)
""", "two.py")
        needed = f.needs(a=((0, 0), (0, 50)), b=((3, 40), (1, 50)), img=(40, 50))
        self.assertEqual(needed, {"img": ((3, 40), (1, 50))})
        img = picture(40, 50)
        a, b = f.region(a=((0, 0), (0, 50)), b=((3, 40), (1, 50)), img=img[3:, 1:], origin=(3, 1), shape={"img": img.shape})
        self.assertEqual(a.shape, (0, 50))
        np.testing.assert_array_equal(b, 2 * img[3:, 1:])

    def test_pickled_results(self):
        import pickle
        f = pm.Pipeline("""
R = Parameter(Int, "R")
img = Image(Float, "img", [R])
x = Variable(Int, "x")
a = Function(([x], [Interval(Int, 0, R - 1)]), Float, "a")
a.defn = img(x)
b = Function(([x], [Interval(Int, 0, R - 1)]), Float, "b")
b.defn = 2 * img(x)
""", "two.py")
        result = f(picture(1, 9)[0])
        again = pickle.loads(pickle.dumps(result))
        self.assertIs(type(again), type(result))
        np.testing.assert_array_equal(again.b, result.b)
        self.assertIn("R > 0", error(lambda: f(np.empty(0, "f4"))))

    def test_arguments(self):
        f, a = blur(), picture(10, 10)
        whole, box = f(a), ((1, 3), (2, 6))
        np.testing.assert_allclose(f.region(blur=box, img=a), whole[1:3, 2:6], rtol=1e-5)
        np.testing.assert_allclose(f.region(blur=box, img=a[1:5, 2:8], origin=(1, 2), R=8, C=8), whole[1:3, 2:6], rtol=1e-5)
        self.assertEqual(f.region(blur=((1, 1), (2, 2)), img=a).shape, (0, 0))
        for call, text in (
            (lambda: f.region(blur=box, img=a[1:5, 2:7], origin=(1, 2), R=8, C=8),
             "ShapeError: img has 1:5, 2:7, and 1:5, 2:8 is needed"),
            (lambda: f.region(blur=box, img=a[1:5, 2:8], R=8, C=8),
             "ShapeError: img is (4, 6); img is float32 [R + 2, C + 2] with R = 8, C = 8"),
            (lambda: f.region(blur=((1, 9), (0, 1)), img=a), "ShapeError: the box 1:9, 0:1 is not inside of blur, which is 0:8, 0:8"),
            (lambda: f.region(blur=(1, 2), img=a), "TypeError: blur should be a box, as ((0, 512), (0, 512)) or numpy.s_[0:512, 0:512]; it is (1, 2)"),
            (lambda: f.region(img=a), "TypeError: blur is given no box; all of it is 0:8, 0:8"),
            (lambda: f.region(blur=box, R=8, C=8), "TypeError: blur() is not given img, float32 [R + 2, C + 2]"),
            (lambda: f.region(blur=box, img=a, origin=3, R=8, C=8), "TypeError: the origin of img should be 2 indices; it is 3"),
            (lambda: f.region(blur=box, img=a, out=np.empty((2, 3), "f4")),
             "ShapeError: out= of blur is (2, 3), and the box is 1:3, 2:6"),
            (lambda: f.region(blur=box, img=a[1:5, 2:8], origin={"imgg": (1, 2)}, R=8, C=8),
             "TypeError: origin= names 'imgg'; the inputs are img"),
            (lambda: f.region(blur=box, img=a, origin=(1, 0), R=8, C=8),
             "ShapeError: the window 1:11, 0:10 is not inside of img, which is 0:10, 0:10"),
            (lambda: f.region(blur=box, img=a, shape={"img": (9, 9)}),
             "ShapeError: the window 0:10, 0:10 is not inside of img, which is 0:9, 0:9"),
            (lambda: f.region(blur=box, img=a.astype("f8")),
             "DTypeError: img is float64 (10, 10); img is float32 [R + 2, C + 2]. Convert it: img.astype('float32')"),
            (lambda: f.needs(blur=box), "TypeError: blur() needs R, int32: no shape says what it is. Give R=…, or out= of float32 [R, C]"),
        ):
            self.assertEqual(error(call), text)


if __name__ == "__main__":
    unittest.main()
