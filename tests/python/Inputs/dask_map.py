"""pm.dask.map: every chunking has the bits of the whole picture; what it cannot do is refused by name."""
import os
import unittest

import dask
import dask.array as da
import numpy as np
import pm
import pm.dask
from dask_programs import ROWS, SUMS, as_tuple, chunks_of, grows, mixed, of_mixed, program
from programs import PIPELINES, blur, picture, two

UNEVEN = ((1, 2, 300, 7, 400, 21, 300), (500, 1, 276))
PROGRAMS = ("harris", "unsharp", "camera", "laplacian", "interpolate", "blending", "bilateral", "multigrid-2d-v-444", "jacobi2d")


def cut(extent, sizes):
    """A number, or sizes in proportion, so that their sum is the extent."""
    if not isinstance(sizes, tuple):
        return min(sizes, extent)
    ends = np.cumsum(sizes) * extent // sum(sizes)
    return tuple(int(n) for n in np.diff([0, *ends]))


def chunks(parameter, shape, sizes):
    axes = grows(parameter)
    return chunks_of(parameter, [cut(shape[axis], n) for axis, n in zip(axes, sizes)])


def chunked(f, arrays, sizes):
    """Arrays of Dask, but for small ones."""
    return {p.name: da.from_array(arrays[p.name], chunks=chunks(p, arrays[p.name].shape, sizes)) if len(grows(p)) == len(sizes)
            else arrays[p.name] for p in f.inputs}


CENTRED = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y, o = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "o")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
total = Reduction(([o], [Interval(Int, 0, 0)]), ([x, y], [rows, cols]), Float, "total")
total.defn = [Reduce(total(0), img(x, y), Sum)]
centred = Function(([x, y], [rows, cols]), Float, "centred")
centred.defn = [img(x, y) - total(0) / (Cast(Float, R) * C)]
"""


class Values(unittest.TestCase):
    def check(self, name, size, *ways):
        """A way has chunks of inputs and of outputs."""
        f, arrays, scalars = program(name, *size)
        whole = as_tuple(f(**arrays, **scalars))
        for into, out_of, halo in ways:
            with self.subTest(name, into=into, out_of=out_of, halo=halo):
                wanted = chunks(f.outputs[0], whole[0].shape, out_of) if out_of else None
                given = {**chunked(f, arrays, into), "chunks": wanted, "halo": halo, **scalars}
                made = as_tuple(pm.dask.map(f, **given))
                for want, got in zip(whole, dask.compute(*made)):
                    np.testing.assert_array_equal(got.view(f"V{got.itemsize}"), want.view(f"V{want.itemsize}"))

    def test_benchmarks(self):
        for name in PROGRAMS:
            self.check(name, (256 if "multigrid" in name else 1031, 777), ((256, 256), None, "blocks"), ((255, 301), (256, 256), "slices"),
                       ((256, 256), (255, 301), "blocks"), (UNEVEN, UNEVEN, "slices"))

    def test_thin_chunks(self):
        """Thinner than the halo."""
        for name in PROGRAMS:
            size = 256 if "multigrid" in name else 1031, 777
            self.check(name, size, ((4, 777), None, "blocks"), ((1031, 97), (1031, 1), "slices"))

    def test_large(self):
        for name in ("harris", "unsharp", "camera"):
            self.check(name, (4097, 3001), ((1000, 999), None, "blocks"), ((512, 2048), (777, 1024), "slices"))

    def test_halo_larger_than_the_picture(self):
        for name in ("interpolate", "laplacian", "blending", "bilateral"):
            self.check(name, (61, 75), ((16, 9), None, "slices"), ((5, 75), (13, 30), "blocks"))
        self.check("jacobi2d", (7, 7), ((2, 3), (1, 1), "blocks"), ((2, 3), (1, 1), "slices"))

    def test_planes_are_chunks(self):
        f, arrays, scalars = program("unsharp", 90, 77)
        img = da.from_array(arrays["img"], chunks=(1, 20, 30))
        for sizes in ((1, 31, 40), (2, 90, 77)):
            made = pm.dask.map(f, img, chunks=sizes, **scalars)
            np.testing.assert_array_equal(made.compute(), f(**arrays, **scalars))

    def test_two_outputs(self):
        f, arrays = mixed(), of_mixed(201, 155)
        whole = f(**arrays, gain=2)
        for halo in ("blocks", "slices"):
            a, b = da.from_array(arrays["a"], chunks=(50, 60)), da.from_array(arrays["b"], chunks=(201, 17))
            made = pm.dask.map(f, a, table=arrays["table"], b=b, gain=2, halo=halo)
            self.assertEqual((type(made).__name__, made.sharp.dtype, made.seen.dtype), ("result", "f4", "u1"))
            for want, got, again in zip(whole, dask.compute(*made), made):
                np.testing.assert_array_equal(got, want)
                np.testing.assert_array_equal(again.compute(), want)

    def test_shapes(self):
        """Outputs of several shapes are arrays of their own."""
        img = np.random.default_rng(3).integers(0, 256, (70, 90), "uint8")
        made, want = pm.dask.map(two(), da.from_array(img, chunks=(20, 31)), gain=0.5), two()(img, gain=0.5)
        for array, whole in zip(made, want):
            np.testing.assert_array_equal(array.compute(), whole)

    def test_results_of_the_whole(self):
        """Integers go up a tree; floats do not depend on chunks, whose tiles are put in order first."""
        img = (np.random.default_rng(3).random((700, 907)) ** 2 * 255).astype("u1")
        for name in ("histeq", "statistics", "histogram"):
            f = pm.load(os.path.join(PIPELINES, name + ".py"), fp="strict")
            for chunks in ((300, 300), (-1, 100), (7, 907), ((600, 100), (900, 7))):
                for halo in ("blocks", "slices"):
                    array = pm.dask.map(f, da.from_array(img, chunks=chunks), halo=halo)
                    np.testing.assert_array_equal(array.compute(), f(img))
        f, img = pm.Pipeline(CENTRED, "centred.py", fp="fast"), np.random.default_rng(3).random((700, 900), "f4")
        first, *others = (pm.dask.map(f, da.from_array(img, chunks=c)).compute() for c in ((256, 256), (512, 300), (700, 900)))
        for other in others:
            np.testing.assert_array_equal(first, other)
        with self.assertRaisesRegex(pm.ArgumentError, "the order of its combinations matters for floats"):
            pm.dask.map(pm.Pipeline(CENTRED, "centred.py", fp="strict"), da.from_array(img, chunks=100))

    def test_steps(self):
        """Passes of several steps are the steps one after the other."""
        make = lambda k: pm.load(os.path.join(PIPELINES, "jacobi2d.py"), const={"T": k}, fp="strict")
        start, force = picture(202, 202).astype("f8"), picture(202, 202).astype("f8")[::-1].copy()
        want = make(21)(start, force)
        for sizes in ((64, 50), (202, 10), (7, 202)):
            x = da.from_array(start, chunks=sizes)
            made = pm.dask.map(make, V=x, F=da.from_array(force, chunks=33), steps=21, iterates="V")
            np.testing.assert_array_equal(made.compute(), want)
        self.assertRaisesRegex(pm.ArgumentError, "iterates= should name the input that is .* V or F", pm.dask.map, make, x, force, steps=3)
        self.assertRaisesRegex(pm.ArgumentError, "steps is 0; it should be a number from 1 on", pm.dask.map, make, x, force, steps=0)

    def test_no_array_of_dask(self):
        img = picture(102, 102)
        np.testing.assert_array_equal(pm.dask.map(blur(), img, chunks=30).compute(), blur()(img))

    def test_empty_chunks(self):
        f, img = blur(fp="strict"), picture(102, 82)
        x = da.from_array(img, chunks=((0, 50, 0, 52), (40, 42, 0)))
        made = pm.dask.map(f, x, chunks=((10, 0, 90), (0, 80)))
        np.testing.assert_array_equal(made.compute(), f(img))
        np.testing.assert_array_equal(pm.dask.map(f, x).compute(), f(img))


class Windows(unittest.TestCase):
    """A window is all that is read."""

    def poisoned(self, window, dtype):
        """The window inside of an array of NaN or 0x7f."""
        bad = np.nan if dtype.kind == "f" else 0x7F
        around = np.full(tuple(n + 6 for n in window.shape), bad, dtype)
        inside = around[(slice(3, -3),) * window.ndim]
        inside[...] = window
        return inside

    def check(self, name, size, boxes):
        f, arrays, scalars = program(name, *size)
        whole, output = f(**arrays, **scalars), f.outputs[0]
        shapes = {n: a.shape for n, a in arrays.items()}
        for ends in boxes:
            axes = grows(output)
            box = tuple(ends[axes.index(axis)] if axis in axes else (0, n) for axis, n in enumerate(whole.shape))
            needed = f.needs(**{output.name: box}, **shapes, **scalars)
            cuts = {n: tuple(slice(*side) for side in needed[n]) for n in arrays}

            def compute(**windows):
                given = {n: self.poisoned(arrays[n][at], arrays[n].dtype) for n, at in {**cuts, **windows}.items()}
                origins = {n: [side.start for side in at] for n, at in {**cuts, **windows}.items()}
                return f.region(**{output.name: box}, **given, origin=origins, shape=shapes, **scalars)

            want = whole[tuple(slice(*side) for side in box)]
            np.testing.assert_array_equal(compute(), want)
            for n, sides in needed.items():
                for axis, (low, high) in enumerate(sides):
                    for smaller in ((low + 1, high), (low, high - 1)) if high > low else ():
                        cut = tuple(slice(*(smaller if a == axis else side)) for a, side in enumerate(sides))
                        with self.assertRaisesRegex(pm.ShapeError, f"^{n} has .*, and .* is needed"):
                            compute(**{n: cut})

    def test_windows(self):
        near = [((100, 140), (70, 71)), ((0, 9), (0, 8)), ((90, 91), (3, 60))]
        for name in ("harris", "unsharp", "camera", "bilateral", "blending", "interpolate", "laplacian"):
            with self.subTest(name):
                self.check(name, (211, 157), near)
        self.check("jacobi2d", (201, 201), near)


class Arrays(unittest.TestCase):
    """What is returned is an array as any other of Dask."""

    def setUp(self):
        self.f, self.img = blur(fp="strict"), picture(102, 82)
        self.x = da.from_array(self.img, chunks=(50, (30, 52)))
        self.y = pm.dask.map(self.f, self.x)
        self.want = self.f(self.img)

    def test_metas(self):
        self.assertEqual((self.y.shape, self.y.dtype, self.y.chunks), ((100, 80), np.dtype("f4"), ((50, 50), (29, 51))))
        self.assertEqual((type(self.y._meta), self.y._meta.shape, self.y._meta.dtype), (np.ndarray, (0, 0), np.dtype("f4")))
        self.assertEqual(pm.dask.map(self.f, self.x, chunks=-1).chunks, ((100,), (80,)))
        self.assertEqual(pm.dask.map(self.f, self.x, chunks={0: 30, 1: -1}).chunks, ((30, 30, 30, 10), (80,)))

    def test_use(self):
        np.testing.assert_array_equal(self.y[7:90:3, ::-1].compute(), self.want[7:90:3, ::-1])
        np.testing.assert_array_equal(self.y.persist().compute(), self.want)
        np.testing.assert_array_equal(self.y.rechunk((7, -1)).compute(), self.want)
        np.testing.assert_array_equal((self.y + self.y).sum(axis=0).compute().shape, (80,))
        np.testing.assert_array_equal(pm.dask.map(self.f, self.y.persist()[3:, ::2]).compute(),
                                      self.f(np.ascontiguousarray(self.want[3:, ::2])))

    def test_maps_of_maps(self):
        again = pm.dask.map(self.f, self.y, chunks=(33, 20))
        np.testing.assert_array_equal(again.compute(), self.f(self.want))
        both = dask.compute(self.y, again, pm.dask.map(self.f, self.y + self.y, halo="slices"))
        for got, want in zip(both, (self.want, self.f(self.want), self.f(self.want + self.want))):
            np.testing.assert_array_equal(got, want)

    def test_names(self):
        """The same call has the same name, and a new computation another one."""
        self.assertEqual(self.y.name, pm.dask.map(blur(fp="strict"), self.x).name)
        others = [pm.dask.map(blur(fp="fast"), self.x), pm.dask.map(self.f, self.x, chunks=10), pm.dask.map(self.f, self.x + self.x)]
        self.assertEqual(len({a.name for a in [self.y, *others]}), 4)

    def test_layers(self):
        if not hasattr(self.y, "expr"):
            self.assertEqual(len(self.y.dask.layers), len(self.x.dask.layers) + 1)

    def test_schedulers(self):
        for scheduler in ("sync", "threads", "processes"):
            np.testing.assert_array_equal(self.y.compute(scheduler=scheduler), self.want)


class Refusals(unittest.TestCase):
    def test_texts(self):
        f, img = blur(), da.from_array(picture(102, 102), chunks=50)
        half = pm.Pipeline(SUMS, "sums.py")
        map = pm.dask.map
        unknown = da.map_blocks(np.copy, img, chunks=((np.nan,) * 3, (50, 50, 2)), dtype="f4")
        for call, kind, text in (
            (lambda: map(f, unknown), pm.ShapeError, "img has chunks of unknown sizes: compute them first, as by x.compute_chunk_sizes()"),
            (lambda: map(f, img.astype("f8")), pm.DTypeError,
             "img is float64 (102, 102); img: float32[R + 2, C + 2]. Convert it: img.astype('float32')"),
            (lambda: map(f, img[0]), pm.ShapeError, "img has the shape (102,); img: float32[R + 2, C + 2]"),
            (lambda: map(f, img, chunks=7, halo="none"), pm.ArgumentError, "halo is 'none'; it should be auto, blocks or slices"),
            (lambda: map(f, img, chunks=((50, 40), (100,))), pm.ArgumentError,
             "chunks= is ((50, 40), (100,)), and blur has the shape (100, 100): "
             "Chunks do not add up to shape. Got chunks=((50, 40), (100,)), "
             "shape=(100, 100)"),
            (lambda: map(f), TypeError, "blur needs img"),
            (lambda: map(f, img, img), TypeError, "blur has 1 input, and 2 are given"),
            (lambda: map(f, img, image=img), TypeError, "blur has no parameter 'image'"),
            (lambda: map(f, img, img=img), TypeError, "'img' is given twice"),
            (lambda: map(half, img), pm.ArgumentError,
             "a tile of half needs img along the whole of axis 0, "
             "so that chunks would repeat each other's work: chunks=-1 along axis 0, or "
             "allow_rechunk=True, makes one of them"),
            (lambda: map(f, da.zeros((1, 9), dtype="f4")), pm.ShapeError,
             "blur would be (-1, 7): it is float32 [R, C] with R = -1, C = 7. Give a larger input"),
        ):
            with self.subTest(text):
                with self.assertRaises(kind) as caught:
                    call()
                self.assertEqual(str(caught.exception), text)

    def test_joined_chunks(self):
        f, img, order = pm.Pipeline(ROWS, "rows.py", fp="strict"), picture(102, 102), np.random.default_rng(1).permutation(102).astype("i4")
        x = da.from_array(img, chunks=(50, 30))
        self.assertRaisesRegex(pm.ArgumentError, "chunks=-1 along axis 0, or allow_rechunk=True", pm.dask.map, f, x, order)
        made = pm.dask.map(f, x, da.from_array(order, chunks=20), allow_rechunk=True)
        self.assertEqual(made.chunks, ((102,), (30, 30, 30, 12)))
        np.testing.assert_array_equal(made.compute(), f(img, order))
        np.testing.assert_array_equal(pm.dask.map(f, x, order, chunks=(-1, 13)).compute(), f(img, order))
        sums = pm.Pipeline(SUMS, "sums.py", fp="strict")
        np.testing.assert_array_equal(pm.dask.map(sums, x, allow_rechunk=True).compute(), sums(img))


if __name__ == "__main__":
    unittest.main()
