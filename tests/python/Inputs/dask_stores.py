"""Zarr and TIFF, whatever the tiles are, and stores that fail: nothing is lost, and nothing is wrong."""
import contextlib
import http.server
import itertools
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import dask.array
import distributed
import numpy as np
import pm
import pm.dask
import tifffile
import zarr
from dask_programs import STRICT, mixed, of_mixed, program
from pm import stores, tiles
from programs import BLUR, blur, picture

PIXELS = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C, 3], boundary="clamp")
x, y, c = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "c")
f = Function(([x, y, c], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, 2)]), UChar, "f")
f.defn = [(img(x - 1, y, c) + img(x, y + 2, c)) / 2]
"""

BITS = """
#include "Halide.h"
using namespace Halide;
class G : public Generator<G> {
 public:
  Input<Buffer<uint8_t, 2>> in{"in"};
  Output<Buffer<bool, 2>> out{"out"};
  Var x, y;
  void generate() { out(x, y) = in(x, y) > 3; }
};
HALIDE_REGISTER_GENERATOR(G, bits)
"""

# In every worker: each 50th write of any store fails, when half of it is done.
FAILING = """
import os
from pm import stores
count = [0]
for kind in (stores._Npy, stores._Zarr, stores._Tiff):
    def failing(self, box, values, write=kind.write):
        count[0] += 1
        if count[0] % int(os.environ["EVERY"]) == 0:
            write(self, box, values * 0)
            raise OSError(5, "Input/output error")
        write(self, box, values)
    kind.write = failing
"""

# In every worker: a file has at most so many bytes.
LIMITED = """
import os, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["LIMIT"]), resource.RLIM_INFINITY))
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder, before = tempfile.mkdtemp(), os.getcwd()
        self.addCleanup(shutil.rmtree, folder)
        os.chdir(folder)
        self.addCleanup(os.chdir, before)

    def zarr(self, name, array, **how):
        made = zarr.create_array(name, shape=array.shape, dtype=array.dtype, **how)
        made[...] = array
        return name

    def tiff(self, name, array, **how):
        tifffile.imwrite(name, array, **how)
        return name

    def same(self, path, want):
        kinds = {".npy": np.load, ".zarr": lambda p: zarr.open_array(p, mode="r")[...], ".tif": tifffile.imread}
        np.testing.assert_array_equal(kinds[os.path.splitext(path)[1]](path), want)

    def hook(self, text, **variables):
        """For all processes that are started from now on."""
        folder = os.path.abspath("hook")
        os.makedirs(folder, exist_ok=True)
        with open("hook/sitecustomize.py", "w") as file:
            file.write(text)
        sys.path.insert(0, folder)
        self.addCleanup(lambda: folder in sys.path and sys.path.remove(folder))
        for name, value in variables.items():
            os.environ[name] = str(value)
            self.addCleanup(os.environ.pop, name, None)

    def unhook(self):
        sys.path.remove(os.path.abspath("hook"))


# Ends before a step of what a run does to files.
STOPPED = f"""
import os, sys
import numpy as np, pm
from pm import manifest, scale, stores
left = [int(sys.argv[1])]
def counted(made, name):
    function = getattr(made, name)
    def counting(*arguments, **named):
        left[0] -= 1
        if not left[0]:
            os._exit(9)
        return function(*arguments, **named)
    setattr(made, name, counting)
for made, names in ((stores, ("remove", "make", "put", "save")), (manifest.Manifest, ("begin", "keep", "clear", "finish")),
                    (os, ("rename", "makedirs"))):
    for name in names:
        counted(made, name)
scale.run(pm.Pipeline({BLUR!r}, "blur.py"), np.zeros((52, 52), "f4"), "out.npy", tile=20, workers=1, overwrite=True)
"""


class Stores(Folder):
    def test_zarr(self):
        f, img = blur(**STRICT), picture(302, 277)
        inputs = [self.zarr("chunks.zarr", img, chunks=(50, 64)), self.zarr("shards.zarr", img, chunks=(10, 20), shards=(100, 80))]
        for number, path in enumerate(inputs):
            for tile in (64, (30, -1), None):
                out = f"{number}-{tile}.zarr"
                pm.dask.run(f, path, out, tile=tile, workers=2)
                self.same(out, f(img))

    def test_zarr_that_is_there(self):
        """Of chunks and of shards; tiles are multiples of these, or refused."""
        f, img = blur(**STRICT), picture(302, 277)
        np.save("img.npy", img)
        for name, how, unit in (("chunks.zarr", {"chunks": (50, 64)}, (50, 64)), ("shards.zarr", {"chunks": (10, 20), "shards": (100, 80)},
                                                                                  (100, 80)),
                                ("one.zarr", {"chunks": (999, 999)}, (300, 275))):
            zarr.create_array(name, shape=(300, 275), dtype="f4", **how)
            with self.assertRaises(pm.ArgumentError) as caught:
                pm.dask.run(f, "img.npy", name, tile=(99, 99), overwrite=True)
            text = str(caught.exception)
            self.assertTrue(text.startswith("a tile of 99x99 is no multiple of what "), text)
            self.assertIn(f"writes at a time, {unit[0]}x{unit[1]}: neighbours would overwrite each other. The next is tile=(", text)
            pm.dask.run(f, "img.npy", name, tile=eval(text.rsplit("tile=", 1)[1]), overwrite=True, workers=2)
            self.same(name, f(img))
            pm.dask.run(f, "img.npy", name, overwrite=True, workers=2)
            self.same(name, f(img))

    def test_tiff(self):
        f, img = blur(**STRICT), picture(302, 277)
        ways = {"tiled": {"tile": (64, 96)}, "big": {"tile": (16, 16), "bigtiff": True}, "rows": {},
                "packed": {"tile": (32, 32), "compression": "zlib"},
                "other": {"tile": (32, 64), "byteorder": ">"}}
        for name, how in ways.items():
            with self.subTest(name):
                pm.dask.run(f, self.tiff(f"{name}.tif", img, **how), f"{name}-out.tif", tile=(128, 64) if name == "big" else None,
                            workers=2)
                self.same(f"{name}-out.tif", f(img))
        with tifffile.TiffFile("big-out.tif") as file:
            self.assertTrue(file.is_bigtiff and file.pages[0].is_tiled)

    def test_tiff_that_is_there(self):
        f, img = blur(**STRICT), picture(302, 277)
        np.save("img.npy", img)
        for order in "<>":
            self.tiff("there.tif", np.ones((300, 275), "f4"), tile=(64, 32), byteorder=order)
            self.assertRaisesRegex(pm.ArgumentError, "a tile of 100x100 is no multiple of .*, 64x32: .* The next is tile=\\(128, 128\\)",
                                   pm.dask.run, f,
                                   "img.npy", "there.tif", tile=100, overwrite=True)
            pm.dask.run(f, "img.npy", "there.tif", tile=(128, 96), overwrite=True, workers=2)
            self.same("there.tif", f(img))

    def test_pixels(self):
        f, img = pm.Pipeline(PIXELS, "pixels.py"), np.random.default_rng(0).integers(0, 256, (202, 177, 3), "uint8")
        pm.dask.run(f, self.tiff("img.tif", img, tile=(64, 64), photometric="rgb"), "out.tif", workers=2)
        self.same("out.tif", f(img))
        pm.dask.run(f, "img.tif", "out.zarr", tile=(64, 64, -1), workers=2)
        self.same("out.zarr", f(img))

    def test_several(self):
        """Inputs of each kind, outputs of each kind, an array in memory."""
        f, arrays = mixed(), of_mixed(201, 155)
        want = f(**arrays, gain=2)
        inputs = {"a": self.zarr("a.zarr", arrays["a"], chunks=(40, 155)), "b": self.tiff("b.tif", arrays["b"], tile=(32, 32)),
                  "table": arrays["table"]}
        pm.dask.run(f, inputs, {"sharp": "sharp.zarr", "seen": "seen.tif"}, gain=2, workers=2)
        self.same("sharp.zarr", want.sharp)
        self.same("seen.tif", want.seen)
        with distributed.LocalCluster(silence_logs=logging.CRITICAL, n_workers=2, threads_per_worker=2,
                                      dashboard_address=None) as cluster, distributed.Client(cluster) as client:
            pm.dask.run(f, inputs, {"sharp": "sharp.npy", "seen": "seen.zarr"}, gain=2, client=client, tile=128)
        self.same("sharp.npy", want.sharp)
        self.same("seen.zarr", want.seen)

    def test_mapped(self):
        """Workers map the file by themselves; a part of one is sent."""
        f, img = blur(**STRICT), picture(102, 82)
        np.save("img.npy", img)
        img.tofile("raw")
        np.save("columns.npy", np.asfortranarray(img))
        sources = (np.load("img.npy", mmap_mode="r"), np.memmap("raw", "f4", "r", shape=img.shape), np.load("columns.npy", mmap_mode="r"),
                   np.load("img.npy", mmap_mode="r")[2:, ::2])
        for number, source in enumerate(sources):
            pm.dask.run(f, source, f"{number}.npy", tile=33, workers=2)
            self.same(f"{number}.npy", f(np.ascontiguousarray(source)))
            self.assertEqual(pm.dask.run(f, source, f"{number}.npy").computed, 0)
        self.assertIsInstance(stores.array_of(sources[1]).store, stores.Mapped)

    def test_addresses(self):
        """Of a server of which each twentieth answer is that it is busy, and of one that always is."""
        f, img, asked, every = blur(**STRICT), picture(102, 82), itertools.count(1), [10**9]
        zarr.create_array("img.zarr", data=img, chunks=(30, 40))

        class Busy(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if next(asked) % every[0]:
                    super().do_GET()
                else:
                    self.send_error(503)

            def log_message(self, *args):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/img.zarr"
            pm.dask.run(f, address, "out.npy", tile=10, workers=2, progress=lambda done, n: every.__setitem__(0, 20))
            self.same("out.npy", f(img))
            self.assertGreater(next(asked), 100)
            every[0] = 1
            self.assertRaisesRegex(OSError, "cannot read 'http.*503", pm.dask.run, f, address, "other.npy")
            server.shutdown()

    def test_chunks_that_are_read(self):
        """Each tile reads whole ones."""
        f, problem = blur(**STRICT), tiles.Problem(blur(**STRICT), {"img": (102, 82)}, {})
        zarr.create_array("img.zarr", data=picture(102, 82), chunks=(30, 40))
        (halo,) = pm.dask.explain(f, "img.zarr", tile=20, measure=False).parts[0].halos
        met = 0
        for box in problem.grid((20, 20)):
            rows, columns = problem.windows(box)["img"]
            met += len({(r // 30, c // 40) for r in range(*rows) for c in range(*columns)})
        self.assertEqual((halo.chunks_read, halo.bytes_of_chunks), (met, met * 30 * 40 * 4))

    def test_chunks_are_those_of_the_input(self):
        """Of one that is made, if they are no crumbs."""
        f, img = blur(**STRICT), picture(702, 602)
        for number, (chunks, made) in enumerate((((200, 150), (200, 150)), ((10, 10), (512, 512)))):
            zarr.create_array(f"{number}.zarr", data=img, chunks=chunks)
            pm.dask.run(f, f"{number}.zarr", f"{number}-out.zarr", workers=2)
            self.assertEqual(zarr.open_array(f"{number}-out.zarr").chunks, made)
            self.same(f"{number}-out.zarr", f(img))
        self.assertRaisesRegex(pm.ArgumentError, "give an array of Zarr by its path, as '.*0.zarr'", pm.dask.run, f, zarr.open_array("0.zarr"), "x.npy")

    def test_an_empty_array_is_used(self):
        """As it was made, with its chunks; one that has elements, or another type, is refused."""
        f, img = blur(**STRICT), picture(102, 82)
        zarr.create_array("empty.zarr", shape=(100, 80), dtype="f4", chunks=(30, 40), fill_value=7)
        pm.dask.run(f, img, "empty.zarr", workers=2)
        self.same("empty.zarr", f(img))
        self.assertEqual(zarr.open_array("empty.zarr").chunks, (30, 40))
        zarr.create_array("other.zarr", shape=(100, 80), dtype="u1", chunks=(30, 40))
        self.assertRaisesRegex(pm.ArgumentError, r"'other.zarr' is there, uint8 \(100, 80\) and not float32 \(100, 80\), and no run has begun it",
                               pm.dask.run, f, img, "other.zarr")

    def test_columns(self):
        """A file in Fortran's order stays one."""
        f, img = blur(**STRICT), picture(102, 82)
        np.save("out.npy", np.asfortranarray(np.ones((100, 80), "f4")))
        pm.dask.run(f, img, "out.npy", tile=(33, 20), overwrite=True, workers=2)
        self.same("out.npy", f(img))
        self.assertTrue(np.load("out.npy").flags.f_contiguous)

    def test_groups(self):
        f, img = blur(**STRICT), picture(102, 82)
        group = zarr.create_group("all.zarr")
        group.create_array("in", shape=img.shape, dtype="f4", chunks=(50, 50))[...] = img
        pm.dask.run(f, "all.zarr/in", "all.zarr/out", workers=2)
        np.testing.assert_array_equal(zarr.open_group("all.zarr")["out"][...], f(img))
        self.assertRaisesRegex(pm.ArgumentError, "'.*all.zarr' is no array of Zarr", pm.dask.run, f, img, "all.zarr", overwrite=True)
        np.testing.assert_array_equal(zarr.open_group("all.zarr")["in"][...], img)

    def test_pyramid(self):
        f, arrays, scalars = program("interpolate", 300, 277)
        pm.dask.run(f, {"img": self.zarr("img.zarr", arrays["img"], chunks=(1, 100, 100))}, "out.zarr", tile=(-1, 128, 128), workers=2,
                    **scalars)
        self.same("out.zarr", f(**arrays, **scalars))

    def test_misaligned_tiles(self):
        """What the refusal is for: chunks that two tiles share are wrong when both are written at a time; aligned ones are not."""
        f, img = blur(**STRICT), picture(2002, 2002)
        np.save("img.npy", img)
        zarr.create_array("out.zarr", shape=(2000, 2000), dtype="f4", chunks=(512, 512))
        self.assertRaisesRegex(pm.ArgumentError, "neighbours would overwrite each other", pm.dask.run, f, "img.npy", "out.zarr", tile=300,
                               overwrite=True)
        for _ in range(3):
            pm.dask.run(f, "img.npy", "out.zarr", tile=512, overwrite=True, workers=4)
            self.same("out.zarr", f(img))

    def test_values_that_zarr_does_not_write(self):
        """Chunks that are all fill value are not there, and count."""
        f, img = blur(), np.zeros((102, 102), "f4")
        np.save("img.npy", img)
        pm.dask.run(f, "img.npy", "out.zarr", tile=50)
        self.assertEqual(str(pm.dask.run(f, "img.npy", "out.zarr")), "all of it was there")
        self.same("out.zarr", f(img))

    def test_stopped_while_it_begins(self):
        """At each step of it: the same call then computes all."""
        f, img = blur(), np.zeros((52, 52), "f4")
        for step in range(1, 99):
            shutil.rmtree("out.npy.pm", ignore_errors=True)
            np.save("out.npy", picture(3, 3))
            process = subprocess.run([sys.executable, "-c", STOPPED, str(step)], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                                     check=False, capture_output=True, text=True)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, 9, process.stderr)
            self.assertFalse(os.path.exists("out.npy.new"))
            with contextlib.suppress(pm.ArgumentError):  # ahead of the first step nothing says that it may be replaced
                pm.dask.run(f, img, "out.npy")
                self.same("out.npy", f(img))
                self.assertEqual(sorted(os.listdir("out.npy.pm")), ["plan.json", "tiles"])
        self.assertGreater(step, 9)

    def test_refusals(self):
        f, img = blur(), picture(102, 102)
        np.save("img.npy", img)
        os.makedirs("no.zarr")
        with open("no.tif", "w") as file:
            file.write("nothing")
        self.tiff("packed.tif", np.ones((100, 100), "f4"), tile=(16, 16), compression="zlib")
        run = pm.dask.run
        for call, kind, text in (
            (lambda: run(f, "no.zarr", "x.npy"), pm.ArgumentError, "'no.zarr' is no array of Zarr"),
            (lambda: run(f, "no.tif", "x.npy"), pm.ArgumentError, "'no.tif' is no TIFF"),
            (lambda: run(pm.Pipeline(BITS, "bits.cpp"), np.zeros((9, 9), "u1"), "x.tif", out_extent_0=9, out_extent_1=9), pm.ArgumentError,
             "x.tif' cannot have elements of bool, which a TIFF packs: write Zarr"),
            (lambda: run(f, self.zarr("wrong.zarr", img.astype("f8"), chunks=(50, 50)), "x.npy"), pm.DTypeError,
             r"img is float64 in 'wrong.zarr'; img: float32\[R \+ 2, C \+ 2\]. Convert the store"),
            (lambda: run(f, self.zarr("rank.zarr", img[0], chunks=(50,)), "x.npy"), pm.ShapeError,
             r"img has the shape \(102,\) in 'rank.zarr'; img: float32\[R \+ 2, C \+ 2\]"),
            (lambda: run(f, "img.npy", "packed.tif"), pm.ArgumentError, "is there, and no run has begun it: overwrite=True writes over it"),
            (lambda: run(*planes(), "x.tif"), pm.ArgumentError,
             r"'.*x.tif' cannot have the shape \(3, 60, 60\): a TIFF is made of rows and columns"),
            (lambda: run(f, "img.npy", "x.tif", tile=10), pm.ArgumentError,
             "is no multiple of what .*x.tif' writes at a time, 16x16: .* The next is "
             r"tile=\(16, 16\)"),
            (lambda: run(f, "img.npy", "s3://some/x.zarr"), pm.ArgumentError,
             "blur is written to a path of files that all workers see, not to 's3://some/x.zarr'"),
            (lambda: run(f, "img.npy", np.zeros((100, 100))), pm.ArgumentError,
             "blur is written to a path of .*, not to an array of float64"),
            (lambda: run(f, dask.array.zeros((102, 102)), "x.npy"), pm.ArgumentError, "pm.dask.map takes arrays of Dask"),
            (lambda: run(f, "img.npy", "x.npy", tile=2.5), pm.ArgumentError, "tile= should be a number from 1 on, or one for each axis"),
            (lambda: run(f, "img.npy", "x.npy", workers=0), pm.ArgumentError, "workers is 0; it should be a number from 1 on"),
            (lambda: run(f, "img.npy", "x.npy", client="tcp://a:1"), pm.ArgumentError,
             "client is 'tcp://a:1'; it should be a distributed.Client"),
            (lambda: run(f, "img.npy", {"blurred": "x.npy"}), TypeError, "there is no output 'blurred'; there is blur"),
        ):
            with self.subTest(text):
                self.assertRaisesRegex(kind, text, call)
            self.assertFalse([name for name in os.listdir(".") if name.startswith("x.")])


def planes():
    f, arrays, _ = program("interpolate", 60, 60)
    return f, arrays


class Failing(Folder):
    def test_each_fiftieth_write(self):
        f, img = blur(**STRICT), picture(502, 502)
        np.save("img.npy", img)
        self.hook(FAILING, EVERY=50)
        for out in ("out.zarr", "out.tif", "out.npy"):
            report = pm.dask.run(f, "img.npy", out, tile=32, workers=2)
            self.assertEqual((report.tiles, report.computed), (256, 256))
            self.same(out, f(img))

    def test_each_fiftieth_write_on_a_cluster(self):
        f, img = blur(**STRICT), picture(502, 502)
        np.save("img.npy", img)
        self.hook(FAILING, EVERY=50)
        paths = os.environ.get("PYTHONPATH", "")
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", paths)
        os.environ["PYTHONPATH"] = os.pathsep.join(["hook", paths]).replace("hook", os.path.abspath("hook"), 1)
        with distributed.LocalCluster(silence_logs=logging.CRITICAL, n_workers=2, threads_per_worker=1,
                                      dashboard_address=None) as cluster, distributed.Client(cluster) as client:
            pm.dask.run(f, "img.npy", "out.zarr", tile=32, client=client)
        self.same("out.zarr", f(img))

    def full(self, out, limit, error):
        f, img = blur(**STRICT), picture(1202, 1202)
        np.save("img.npy", img)
        self.hook(LIMITED, LIMIT=limit)
        with self.assertRaisesRegex(OSError, error) as caught:
            pm.dask.run(f, "img.npy", out, tile=256, workers=2)
        self.assertIn("what is done stays, and the same run goes on from there", caught.exception.__notes__[0])
        self.unhook()
        report = pm.dask.run(f, "img.npy", out, workers=2)
        self.same(out, f(img))
        return report

    def test_files_are_limited(self):
        """A chunk of noise does not fit into a file of 10,000 bytes."""
        self.assertEqual(self.full("out.zarr", 10_000, "File too large|failed to write").computed, 25)

    def test_a_limit_within_a_tiff(self):
        report = self.full("out.tif", 4_000_000, "File too large")
        self.assertLess(report.computed, report.tiles)

    @unittest.skipUnless(os.geteuid() == 0, "mounts a file system")
    def test_the_disk_is_full(self):
        for kind in ("zarr", "tif", "npy"):
            with self.subTest(kind):
                self.on_a_small_disk(kind)

    def on_a_small_disk(self, kind):
        f, img = blur(**STRICT), picture(1202, 1202)
        np.save("img.npy", img)
        os.makedirs("disk", exist_ok=True)
        if os.system("mount -t tmpfs -o size=3m tmpfs disk 2> /dev/null"):
            self.skipTest("no file system may be mounted")
        try:
            with self.assertRaises(OSError):
                pm.dask.run(f, "img.npy", f"disk/out.{kind}", tile=256, workers=2)
            os.system("mount -o remount,size=100m disk")
            report = pm.dask.run(f, "img.npy", f"disk/out.{kind}", tile=256, workers=2)
            self.same(f"disk/out.{kind}", f(img))
            return report
        finally:
            os.system("umount -l disk")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    unittest.main()
