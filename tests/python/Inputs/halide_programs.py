"""Programs in Halide's names, each with its values by NumPy.

  halide_programs.py MODULE   pm.halide, or halide: its own package gives the same values
"""
import importlib
import itertools
import sys
import unittest
import warnings

import numpy as np

hl = importlib.import_module(sys.argv.pop(1) if len(sys.argv) > 1 else "pm.halide")
warnings.filterwarnings("ignore", message=".*prints nothing.*")
x, y, c, i = hl.vars("x y c i")
GRAY = (np.arange(7 * 9, dtype=np.uint16).reshape(7, 9) * 37 % 256).astype(np.uint8)
COLOUR = np.arange(3 * 5 * 6, dtype=np.uint8).reshape(3, 5, 6)


def func(value, *args):
    f = hl.Func()
    f[args] = value
    return f


def of(value, *sizes):
    """The values of an Expr at the first points of x, y, c."""
    return np.asarray(func(value, *[x, y, c][:len(sizes)]).realize(list(sizes)))


class Programs(unittest.TestCase):
    def same(self, got, expected, dtype=None):
        got, expected = np.asarray(got), np.asarray(expected)
        np.testing.assert_array_equal(got, expected)
        self.assertEqual(got.dtype, np.dtype(dtype or expected.dtype))

    def test_axes(self):
        rows, columns = np.mgrid[:3, :5]
        self.same(of(x + 10 * y, 5, 3), columns + 10 * rows, "i4")
        b = hl.Buffer(COLOUR)
        self.assertEqual([b.width(), b.height(), b.channels(), b[5, 4, 2]], [6, 5, 3, 89])
        self.same(of(b[x, y, c] + 1, 6, 5, 3), COLOUR + 1, "u1")
        turned = hl.Buffer(COLOUR, "", False)
        self.assertEqual([turned.width(), turned[2, 4, 5]], [3, 89])
        self.assertEqual(np.asarray(hl.Buffer(hl.Int(8), [4, 2, 3])).shape, (3, 2, 4))

    def test_types(self):
        for make, dtype in ((hl.u8, "u1"), (hl.i8, "i1"), (hl.u16, "u2"), (hl.i16, "i2"), (hl.u32, "u4"), (hl.i32, "i4"),
                            (hl.u64, "u8"), (hl.i64, "i8"), (hl.f32, "f4"), (hl.f64, "f8")):
            self.same(of(make(x) * 3, 4), np.arange(4).astype(dtype) * np.dtype(dtype).type(3), dtype)
        self.same(of(x > 1, 3), [False, False, True])
        self.same(of(hl.cast(hl.UInt(8), x * 100), 4), (np.arange(4) * 100).astype("u1"))
        self.same(of(hl.u8_sat(x * 100), 4), np.array([0, 100, 200, 255], "u1"))
        self.assertEqual((hl.u8(x) + hl.i16(x)).type(), hl.Int(16))
        self.assertEqual((hl.u8(x) * 1.5).type(), hl.Float(32))
        self.assertEqual((x + hl.f64(0.1)).type(), hl.Float(64))
        self.same(of(hl.f64(0.1) * x, 2), [0, 0.1])
        self.same(of(hl.f32(0.1) + x, 1), np.array([0.1], "f4"))

    def test_arithmetic(self):
        n = np.arange(7) - 3
        self.same(of((x - 3) / 2, 7), n // 2, "i4")
        self.same(of((x - 3) // -2, 7), -(n // 2), "i4")
        self.same(of((x - 3) % 2, 7), n % 2, "i4")
        self.same(of((hl.f32(x) - 3) // 2, 7), np.floor(n / 2), "f4")
        self.same(of(100 - x, 3), [100, 99, 98], "i4")
        self.same(of(1 / hl.f32(x + 1), 4), (1 / np.arange(1, 5)).astype("f4"))
        self.same(of((x << 2) | (x & 1) ^ 1, 5), (np.arange(5) << 2) | (np.arange(5) & 1) ^ 1, "i4")
        self.same(of(-x + ~x, 4), -np.arange(4) + ~np.arange(4), "i4")
        self.same(of(hl.max(x, 2, 5 - x), 6), np.maximum(np.maximum(np.arange(6), 2), 5 - np.arange(6)), "i4")
        self.same(of(hl.clamp(x - 2, 0, 2), 6), np.clip(np.arange(6) - 2, 0, 2), "i4")
        self.same(of(hl.abs(x - 2), 4), np.abs(np.arange(4) - 2), "u4")
        self.same(of(x ** 2, 4), np.arange(4) ** 2, "i4")
        self.same(of(hl.sqrt(x * x), 4), np.arange(4), "f4")
        self.same(of((x < 2) & (x != 0) | (x == 4), 5), [False, True, False, False, True])

    def test_choices(self):
        self.same(of(hl.select(x < 2, 10, x == 3, 20, 30), 5), [10, 10, 30, 20, 30], "i4")
        self.same(of(hl.mux(x, [7, 8, x]), 4), [7, 8, 2, 3], "i4")
        first, second = func(hl.select(x < 1, (x, hl.f32(2)), (x + 5, hl.f32(3))), x).realize([2])
        self.same(first, [0, 6], "i4")
        self.same(second, [2, 3], "f4")

    def test_stages(self):
        image = hl.Buffer(GRAY)
        wide = func(hl.u16(image[x, y]), x, y)
        rows = func((wide[x, y] + wide[x + 1, y] + wide[x + 2, y]) / 3, x, y)
        blur = func(hl.u8((rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3), x, y)
        w = GRAY.astype("u2")
        r = (w[:, :-2] + w[:, 1:-1] + w[:, 2:]) // 3
        expected = ((r[:-2] + r[1:-1] + r[2:]) // 3).astype("u1")
        self.same(blur.realize([7, 5]), expected)
        out = hl.Buffer(hl.UInt(8), [3, 2])
        out.set_min([2, 1])
        blur.realize(out)
        self.same(out, expected[1:3, 2:5])
        xo, yo, xi, yi = hl.vars("xo yo xi yi")
        blur.tile(x, y, xo, yo, xi, yi, 4, 2, tail=hl.TailStrategy.GuardWithIf).vectorize(xi).parallel(yo)
        rows.compute_at(blur, xo).vectorize(x, 4)
        wide.compute_root()
        self.same(blur.realize([7, 5]), expected)

    def test_points_of_buffers(self):
        image = hl.Buffer(GRAY)
        image.set_min([-2, 3])
        self.assertEqual([image.left(), image.bottom(), image[-2, 3]], [-2, 9, int(GRAY[0, 0])])
        self.same(of(image[x - 2, y + 3], 9, 7), GRAY)
        edge = hl.BoundaryConditions.repeat_edge(image)
        self.same(of(edge[x - 4, y + 3], 9, 7), np.pad(GRAY, ((0, 0), (2, 0)), "edge")[:, :9])
        crop = hl.Buffer(GRAY).cropped([(2, 3), (1, 4)])
        self.same(of(crop[x + 2, y + 1], 3, 4), GRAY[1:5, 2:5])

    def test_boundaries(self):
        numpys = {"repeat_edge": "edge", "mirror_image": "symmetric", "mirror_interior": "reflect", "repeat_image": "wrap"}
        for (name, mode), is_func in itertools.product(numpys.items(), (False, True)):
            source = hl.Buffer(GRAY)
            source = func(source[x, y], x, y) if is_func else source
            f = getattr(hl.BoundaryConditions, name)(source, *[[(0, 9), (0, 7)]] * is_func)
            self.same(of(f[x - 3, y - 2], 15, 11), np.pad(GRAY, ((2, 2), (3, 3)), mode))
        f = hl.BoundaryConditions.constant_exterior(hl.Buffer(GRAY), 77)
        self.same(of(f[x - 3, y - 2], 15, 11), np.pad(GRAY, ((2, 2), (3, 3)), constant_values=77))

    def test_inputs(self):
        image, gain, n = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Param(hl.Float(32), "gain", 0.5), hl.Param(hl.Int(32))
        f = func(hl.f32(image[hl.clamp(x + n, 0, image.width() - 1), y]) * gain, x, y)
        image.set(hl.Buffer(GRAY))
        for shift in (0, 3):
            n.set(shift)
            self.same(f.realize([9, 7]), GRAY[:, np.minimum(np.arange(9) + shift, 8)].astype("f4") / 2)
        gain.set(2)
        image.set(hl.Buffer(GRAY[:3, :4].copy()))
        self.same(f.realize([4, 3]), GRAY[:3, np.minimum(np.arange(4) + 3, 3)].astype("f4") * 2)

    def test_where_inputs_begin(self):
        image, b = hl.ImageParam(hl.UInt(8), 2), hl.Buffer(GRAY)
        image.set(b)
        beside = func(image[x - 1, y] ^ image[x + 1, y], x, y)
        corner = func(hl.BoundaryConditions.repeat_edge(image)[x - 1, y - 1] + hl.u8(image.left()), x, y)
        self.same(corner.realize([4, 4]), np.pad(GRAY, 1, "edge")[:4, :4])
        b.set_min([-1, 0])
        self.same(beside.realize([7, 7]), GRAY[:, :-2] ^ GRAY[:, 2:])
        self.same(corner.realize([4, 4]), np.pad(GRAY, 1, "edge")[:4, 1:5] - np.uint8(1))

    def test_updates(self):
        f = func(x + y, x, y)
        f[3, 2] = 42
        f[x, 0] = f[x, 1] * 2
        f[x, y] += 1
        r = hl.RDom([(0, 4), (1, 3)])
        f[r.x, r.y] -= hl.select(r.x > r.y, 10, 0)
        expected = np.add.outer(np.arange(4), np.arange(5))
        expected[2, 3] = 42
        expected[0] = expected[1] * 2
        expected += 1
        for v, u in itertools.product(range(1, 4), range(4)):
            expected[v, u] -= 10 * (u > v)
        self.same(f.realize([5, 4]), expected, "i4")

    def test_reductions(self):
        image = hl.Buffer(GRAY)
        r = hl.RDom(image)
        histogram = hl.Func()
        histogram[i] = 0
        histogram[hl.i32(image[r.x, r.y]) // 32] += 1
        self.same(histogram.realize([8]), np.bincount(GRAY.ravel() // 32, minlength=8), "i4")
        counted = hl.Func()
        counted[hl.i32(image[r.x, r.y]) // 64] += hl.u16(1)
        self.same(counted.realize([4]), np.bincount(GRAY.ravel() // 64, minlength=4), "u2")
        rx = hl.RDom([(0, 9)], "rx")
        self.same(of(hl.sum(hl.i32(image[rx, x])), 7), GRAY.sum(1), "i4")
        self.same(of(hl.maximum(image[rx, x]), 7), GRAY.max(1))
        self.same(of(hl.minimum(rx, image[rx, x]), 7), GRAY.min(1))
        self.same(of(hl.argmax(image[rx, x])[0], 7), GRAY.argmax(1), "i4")
        half = hl.RDom([(0, 6), (0, 6)])
        half.where(half.x + half.y < 5)
        self.same(of(hl.sum(half.x * half.y) + x, 1), [sum(a * b for a in range(6) for b in range(6) if a + b < 5)], "i4")

    def test_tuples(self):
        pair = func((x + y, hl.f32(x) / 2), x, y)
        self.assertEqual([pair.outputs(), len(pair[x, y]), pair.types()], [2, 2, [hl.Int(32), hl.Float(32)]])
        both = func((pair[x, y][1] + 1, pair[x, y][0]), x, y).realize([3, 2])
        self.same(both[0], [[1, 1.5, 2], [1, 1.5, 2]], "f4")
        self.same(both[1], [[0, 1, 2], [1, 2, 3]], "i4")
        other = func((x + y, hl.f32(x) / 2), x, y)
        other[x, 0] = (other[x, 1][0] * 10, 7.0)
        first, second = other.realize([3, 2])
        self.same(first, [[10, 20, 30], [1, 2, 3]], "i4")
        self.same(second, [[7, 7, 7], [0, 0.5, 1]], "f4")

    def test_scalars(self):
        f = hl.Func()
        f[()] = 5
        r = hl.RDom([(1, 4)])
        f[()] += r * r
        self.assertEqual(f.realize()[()], 35)
        self.assertEqual(hl.evaluate(hl.i32(7) * 6), 42)
        self.assertEqual(hl.evaluate((hl.u8(3), hl.f32(2.5))), (3, 2.5))

    def test_rest_of_dimensions(self):
        image = hl.Buffer(COLOUR)
        f = hl.Func()
        f[hl._] = image[hl._] * 2
        g = func(f[x, hl._] + 1, x, hl._)
        self.same(g.realize([6, 5, 3]), COLOUR * 2 + 1, "u1")
        self.same(hl.lambda_func(x, y, x - y).realize([2, 2]), [[0, 1], [-1, 0]], "i4")

    def test_copies(self):
        f = func(x * 3, x)
        g, h = func(f[x] + f[x + 1], x), None
        h = func(g[x] - f[x], x)
        f.compute_root()
        f.in_(g).compute_root()
        g.compute_root()
        g.clone_in(h).compute_root()
        self.same(h.realize([4]), np.arange(4) * 3 + 3, "i4")

    def test_pipelines(self):
        f = func(x + 1, x)
        g = func(hl.u8(f[x] * 2), x, y)
        a, b = hl.Buffer(hl.Int(32), [4]), hl.Buffer(hl.UInt(8), [3, 2])
        hl.Pipeline([f, g]).realize([a, b])
        self.same(a, [1, 2, 3, 4], "i4")
        self.same(b, np.array([[2, 4, 6]] * 2, "u1"))

    def test_callables(self):
        image, n = hl.ImageParam(hl.UInt(8), 1), hl.Param(hl.UInt(8))
        f = func(image[x] + n, x)
        add, out = f.compile_to_callable([n, image]), hl.Buffer(hl.UInt(8), [3])
        add(5, hl.Buffer(np.arange(3, dtype="u1")), out)
        self.same(out, np.arange(5, 8).astype("u1"))

    def test_types_and_targets(self):
        for kind, low, high in ((hl.Int(8), -128, 127), (hl.UInt(16), 0, 65535), (hl.UInt(64), 0, 2**64 - 1), (hl.Float(32), -np.inf, np.inf)):
            np.testing.assert_array_equal(np.asarray(func(kind.min(), x).realize([2])), [low, low])
            np.testing.assert_array_equal(np.asarray(func(kind.max(), x).realize([2])), [high, high])
        self.assertTrue(hl.Int(8).is_max(127) and hl.Int(8).is_min(-128) and not hl.Float(32).is_max(3))
        self.assertTrue(hl.Int(8).with_bits(32).with_code(hl.TypeCode.UInt) == hl.UInt(32))
        self.assertEqual((hl.Float(64).bits(), hl.Bool().bytes(), str(hl.Int(16)), hl.Int(16).is_float()), (64, 1, "int16", False))
        feature, linux, x86 = hl.TargetFeature, hl.TargetOS.Linux, hl.TargetArch.X86
        target = hl.Target("x86-64-linux-avx2-strict_float")
        self.assertEqual(target.to_string(), "x86-64-linux-avx2-strict_float")
        self.assertTrue(target == hl.Target(linux, x86, 64, [feature.StrictFloat, feature.AVX2]))
        self.assertTrue(target.has_feature(feature.AVX2) and not target.has_feature(feature.FMA))
        self.assertTrue(target.features_all_of([feature.AVX2, feature.StrictFloat]) and not target.features_any_of([feature.CUDA]))
        self.assertEqual(str(target.with_feature(feature.NoAsserts).without_feature(feature.AVX2)), "x86-64-linux-no_asserts-strict_float")
        self.assertEqual([hl.Target(f"x86-64-linux{more}").natural_vector_size(kind) for kind in (hl.UInt(8), hl.Float(32))
                          for more in ("", "-sse41", "-avx", "-avx2", "-avx2-avx512-avx512_skylake")],
                         [16, 16, 16, 32, 64, 4, 4, 8, 8, 16])
        self.assertEqual([hl.Target.validate_target_string(s) for s in ("host", "host-cuda", "x86-64-linux-foo", "arm-64-android")],
                         [True, True, False, True])
        self.assertEqual(str(hl.Target("host")), str(hl.get_host_target()))
        self.assertEqual((target.maximum_buffer_size(), target.with_feature(feature.LargeBuffers).has_large_buffers()), (2**31 - 1, True))
        self.assertEqual([target.supports_device_api(api) for api in (hl.DeviceAPI.Host, hl.DeviceAPI.CUDA)], [True, False])
        self.assertTrue(hl.get_host_target().supported() and hl.Target("host-cuda").has_gpu_feature())

    def refuses_update(self, f):
        try:
            f[x] += 5
        except hl.HalideError:
            return True
        return False

    def test_updates_after_uses(self):
        def use(by):
            f = func(x, x)
            kept.append(by(f))
            return self.refuses_update(f)

        kept = []
        reduction = hl.RDom([(0, 3)])
        for by in (lambda f: func(f[x] + 1, x), lambda f: f.realize([3]), lambda f: f.in_(), hl.Pipeline,
                   lambda f: hl.sum(f[x + reduction]), lambda f: hl.BoundaryConditions.repeat_edge(f, [(0, 4)])):
            self.assertTrue(use(by))
        for by in (lambda f: f[x] + 1, lambda f: f.compute_root(), lambda f: f.clone_in(hl.Func("q")), lambda f: f.__setitem__(x, f[x] + 1)):
            self.assertFalse(use(by))

    def test_what_was_realized_may_change(self):
        f = func(x, x)
        self.same(f.realize([3]), [0, 1, 2], "i4")
        g = func(f[x] * 2, x)
        self.same(g.realize([3]), [0, 2, 4], "i4")
        h = func(f[x] + g[x], x)
        h[1] = -1
        self.same(h.realize([3]), [0, -1, 6], "i4")
        self.same(h.realize([4]), [0, -1, 6, 9], "i4")

    def test_buffers_are_read_as_they_are(self):
        values = np.zeros(3, "i4")
        f = func(hl.Buffer(values)[x] + 1, x)
        self.same(f.realize([3]), [1, 1, 1], "i4")
        values[1] = 8
        self.same(f.realize([3]), [1, 9, 1], "i4")


if __name__ == "__main__":
    unittest.main(verbosity=0)
