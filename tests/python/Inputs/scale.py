"""Runs from stores to stores, tile by tile: values are those of the whole, whatever dies or fails meanwhile."""
import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import pm
from pm import scale, scale_command, splits, stores, tiles
from programs import PIPELINES, blur, picture, two

SUM = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
total = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Float, "total")
total.defn = [Case(Condition(x, "==", 0), img(x, y)), Case(Condition(x, ">", 0), total(x - 1, y) + img(x, y))]
"""

TABLE = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img, table, row = Image(UChar, "img", [R, C]), Image(UChar, "table", [256]), Image(UChar, "row", [C])
x, y = Variable(Int, "x"), Variable(Int, "y")
f = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), UChar, "f")
f.defn = [table(img(x, y)) + row(y) + (x % 3)]
"""

# In every worker, which imports it by itself: the store fails at each write whose number is a multiple of EVERY.
FAILING = """
import os
from pm import stores
count, write = [0], stores._Npy.write
def failing(self, box, values):
    count[0] += 1
    if count[0] % int(os.environ["EVERY"]) == 0:
        write(self, box, values * 0)
        raise OSError(5, "Input/output error")
    write(self, box, values)
stores._Npy.write = failing
"""


PAIR = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
points = ([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)])
a = Function(points, Float, "a")
a.defn = [img(x, y) * 2]
b = Function(points, Float, "b")
b.defn = [img(x, y) * 3]
"""


def marked(folder):
    """Tiles that are there."""
    with contextlib.suppress(FileNotFoundError), open(f"{folder}/tiles", "rb") as file:
        return sum(file.read())
    return 0


def children():
    """Of this process."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
            if file.read().rsplit(")", 1)[1].split()[1] == str(os.getpid()):
                yield int(name)


def peak(process):
    """Bytes that it has taken at most; 0 of one that has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status") as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM")), 0)
    return 0


class Scale(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def saved(self, name, array):
        np.save(name, array)
        return name

    def same(self, path, want):
        np.testing.assert_array_equal(np.load(path), want)

    def test_tiles(self):
        """Of any size, also of single points, and larger than the picture."""
        f = blur(fp="strict")
        for number, (shape, tile) in enumerate((((3, 3), 1), ((3, 40), 7), ((40, 3), 64), ((77, 133), 16), ((77, 133), (20, -1)),
                                                ((2, 9), 4))):
            img = self.saved(f"{number}.npy", picture(*shape))
            report = scale.run(f, img, f"{number}-out.npy", tile=tile, workers=2)
            self.same(f"{number}-out.npy", f(np.load(img)))
            self.assertEqual(report.computed, report.tiles)

    def test_several_arrays(self):
        """An input in memory, a table that all tiles read, a row along an axis, values that depend on the place."""
        f = pm.Pipeline(TABLE, "table.py")
        random = np.random.default_rng(1)
        img, table, row = (random.integers(0, 256, n, "uint8") for n in ((50, 61), 256, 61))
        scale.run(f, {"img": self.saved("img.npy", img), "table": table, "row": self.saved("row.npy", row)}, {"f": "f.npy"}, tile=13,
                  workers=2)
        self.same("f.npy", f(img, table, row))
        scale.run(two(), "img.npy", {"dark": "dark.npy", "rows": "rows.npy"}, gain=0.5)
        want = two()(img, gain=0.5)
        self.same("dark.npy", want.dark)
        self.same("rows.npy", want.rows)

    def test_goes_on(self):
        f, img = blur(), self.saved("img.npy", picture(102, 102))

        class Enough(Exception):
            pass

        for _ in range(3):
            seen = []

            def stop(done, n):
                seen.append(done)
                if len(seen) == 5:
                    raise Enough

            self.assertRaises(Enough, scale.run, f, img, "out.npy", tile=10, workers=1, progress=stop)
        there = marked("out.npy.pm")
        self.assertTrue(15 <= there < 100, there)
        report = scale.run(f, img, "out.npy", workers=2)
        self.assertEqual((report.tiles, report.computed, report.tile), (100, 100 - there, (10, 10)))
        self.same("out.npy", f(np.load(img)))
        self.assertEqual(str(scale.run(f, img, "out.npy")), "all of it was there")
        self.assertEqual(scale.run(f, img, "out.npy", resume=False, tile=50).computed, 4)

    def test_a_worker_dies(self):
        f, img, killed = blur(), self.saved("img.npy", picture(202, 202)), []

        def kill(done, n):
            if done in (20, 100):
                killed.append(next(children()))
                os.kill(killed[-1], signal.SIGKILL)

        report = scale.run(f, img, "out.npy", tile=10, workers=2, progress=kill)
        self.assertEqual((len(killed), report.computed), (2, 400))
        self.same("out.npy", f(np.load(img)))

    def test_the_command_dies(self):
        f, img = blur(fp="strict"), self.saved("img.npy", picture(302, 302))
        with open("blur.py", "w") as file:
            file.write(f._text)
        command = [sys.executable, "-m", "pm", "scale", img, "blur.py", "out.npy", "--tile=10", "--workers=2", "--fp=strict"]
        before = 0
        for _ in range(3):
            process = subprocess.Popen(command)
            while marked("out.npy.pm") < before + 60 and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            self.assertEqual(process.wait(), -signal.SIGKILL)
            before = marked("out.npy.pm")
        self.assertLess(before, 900)
        last = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertRegex(last.stdout, "^[0-9]+ of 900 tiles of 10x10 in .* were there")
        self.assertLessEqual(int(last.stdout.split()[0]), 900 - before)
        self.same("out.npy", f(np.load(img)))

    def test_what_has_changed(self):
        """An output in place of another one, one that was written to, marks that are lost: nothing is taken for done that is not."""
        f, img = blur(), self.saved("img.npy", picture(102, 102))
        want = f(np.load(img))
        scale.run(f, img, "out.npy", tile=25)
        np.save("out.npy", want * 0)
        self.assertRaisesRegex(pm.ArgumentError, "is not what the run has begun", scale.run, f, img, "out.npy", tile=25)
        scale.run(f, img, "out.npy", tile=25, overwrite=True)
        os.remove("out.npy")
        np.save("out.npy", want * 0)
        self.assertRaisesRegex(pm.ArgumentError, "is not what the run has begun", scale.run, f, img, "out.npy", tile=25)
        scale.run(f, img, "out.npy", tile=25, overwrite=True)
        with open("out.npy.pm/tiles", "wb"):
            pass
        self.assertEqual(scale.run(f, img, "out.npy", tile=25).computed, 16)
        os.symlink("img.npy", "link.npy")
        self.assertRaisesRegex(pm.ArgumentError, "which img is read from", scale.run, f, img, "link.npy", overwrite=True)
        self.same("out.npy", want)

    def test_the_store_fails(self):
        """Each fiftieth write, of which half is there: the tile is computed again. Each write: the run ends, and goes on."""
        f, img = blur(), self.saved("img.npy", picture(202, 202))
        os.mkdir("hook")
        with open("hook/sitecustomize.py", "w") as file:
            file.write(FAILING)
        sys.path.insert(0, os.path.abspath("hook"))
        self.addCleanup(sys.path.remove, os.path.abspath("hook"))
        self.addCleanup(os.environ.pop, "EVERY")
        os.environ["EVERY"] = "50"
        self.assertEqual(scale.run(f, img, "out.npy", tile=10, workers=2).computed, 400)
        self.same("out.npy", f(np.load(img)))
        os.environ["EVERY"] = "1"
        with self.assertRaisesRegex(OSError, "Input/output error") as caught:
            scale.run(f, img, "other.npy", tile=10, workers=2)
        self.assertIn("the same run goes on from there", caught.exception.__notes__[0])
        os.environ["EVERY"] = "1000"
        self.assertEqual(scale.run(f, img, "other.npy").computed, 400)
        self.same("other.npy", f(np.load(img)))

    def test_memory(self):
        """What is said is known before the start, and holds."""
        f, img = blur(), self.saved("img.npy", picture(3002, 3002))
        peaks = []
        report = scale.run(f, img, "out.npy", memory="300MB", workers=2, progress=lambda done, n: peaks.extend(map(peak, children())))
        self.assertLessEqual(report.memory, 300e6)
        self.assertGreater(min(report.tile), 500)
        self.assertLessEqual(max(peaks), report.memory / 2)
        self.same("out.npy", f(np.load(img)))

    def test_steps(self):
        """Passes of several steps are the steps one after the other, also when they are stopped three times."""
        make = lambda k: pm.load(os.path.join(PIPELINES, "jacobi2d.py"), const={"T": k}, fp="strict")
        given = {"V": self.saved("v.npy", picture(52, 52).astype("f8")), "F": self.saved("f.npy", picture(52, 52).astype("f8"))}
        want = np.load("v.npy")
        for _ in range(7):
            want = make(1)(want, np.load("f.npy"))

        class Enough(Exception):
            pass

        def stop(done, n):
            raise Enough

        how = {"tile": 26, "steps": 7, "iterates": "V", "workers": 1}
        for _ in range(3):
            self.assertRaises(Enough, scale.run, make, given, "out.npy", progress=stop, **how)
        scale.run(make, given, "out.npy", **how)
        self.same("out.npy", want)
        self.assertEqual(sorted(os.listdir("out.npy.pm")), ["plan.json", "tiles"])
        self.assertEqual(str(scale.run(make, given, "out.npy", **how)), "all of it was there")

    def test_a_running_sum(self):
        """Tiles are whole along its axis, and narrow along the other one."""
        f, img = pm.Pipeline(SUM, "total.py", fp="strict"), self.saved("img.npy", picture(99, 77))
        for tile in ((-1, 20), None):
            scale.run(f, img, "out.npy", tile=tile, workers=2, overwrite=True)
            self.same("out.npy", f(np.load(img)))
        box = ((50, 60), (20, 30))
        self.assertEqual(f.needs(total=box, img=(99, 77)), {"img": ((0, 60), (20, 30))})

    def test_outputs_of_one_extent(self):
        """On other coordinates they share a tile; of turned axes they do not, also where the picture is a square."""
        text = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C + 2])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
s = Function(([x, y], [Interval(Int, 0, R + 1), Interval(Int, 0, C)]), Float, "s")
s.defn = [img(x, y) + img(x, y + 1)]
a = Function(([x, y], [rows, cols]), Float, "a")
a.defn = [s(x, y) + s(x + 1, y) + s(x, y + 1)]
b = Function(([x, y], [Interval(Int, 1, R), cols]), Float, "b")
b.defn = [s(x, y) + s(x + 1, y)]
c = Function(([x, y], [cols, rows]), Float, "c")
c.defn = [s(y, x)]
"""
        img = self.saved("img.npy", picture(82, 82))
        for others, problems in (("b", 1), ("c", 2)):
            f = pm.Pipeline(text, "f.py", live_out=["a", others], fp="strict")
            made = splits.problems(f, {"img": (82, 82)}, {})
            self.assertEqual(len(made), problems)
            for problem in made:
                self.assertLess(tiles.volume(problem.windows(((30, 40), (40, 50)))["img"]), 160)
            scale.run(f, img, {"a": "a.npy", others: "o.npy"}, tile=13, workers=2, overwrite=True)
            for path, want in zip(("a.npy", "o.npy"), f(np.load(img))):
                self.same(path, want)

    def test_results_of_the_whole(self):
        """What every pixel needs of all of them is computed first, tile by tile; so are outputs that do not grow."""
        random = np.random.default_rng(4)
        for number, shape in enumerate(((600, 777), (1, 1), (300, 2))):
            img = (random.random(shape) ** 2 * 255).astype("u1")
            self.saved(f"{number}.npy", img)
            for name in ("histeq", "statistics"):
                f, out = pm.load(os.path.join(PIPELINES, name + ".py"), fp="strict"), f"{number}-{name}.npy"
                scale.run(f, f"{number}.npy", out, memory="300MB", workers=2)
                self.same(out, f(img))
                self.assertEqual(scale.run(f, f"{number}.npy", out).computed, 0)
        self.assertRaisesRegex(pm.ArgumentError, "was begun with", scale.run, f, "0.npy", out)

    def test_parts_with_borders(self):
        """Outputs of two shapes, one of which needs results of the whole, of a picture whose border is mirrored."""
        text = """
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C], boundary="mirror")
x, y, v = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "v")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
hist = Reduction(([v], [Interval(Int, 0, 15)]), ([x, y], [rows, cols]), Int, "hist")
hist.defn = [Reduce(hist(img(x - 1, y) >> 4), 1, Sum)]
seen = Function(([x, y], [rows, cols]), Int, "seen")
seen.defn = [hist(img(x, y) >> 4) + img(x - 2, y) - img(x, y + 3)]
side = Function(([x], [rows]), Int, "side")
side.defn = [img(x + 1, 0) * 2]
"""
        f = pm.Pipeline(text, "parts.py", live_out=["seen", "side"], fp="strict")
        for number, shape in enumerate(((60, 77), (1, 1), (1, 40), (33, 2))):
            img = (picture(*shape) * 255).astype("u1")
            scale.run(f, img, {"seen": f"{number}-seen.npy", "side": f"{number}-side.npy"}, tile=20, workers=2)
            for name, want in zip(("seen", "side"), f(img)):
                self.same(f"{number}-{name}.npy", want)

    def test_explain(self):
        text = str(scale.explain(blur(), (1026, 1026), tile=256, workers=2))
        self.assertRegex(text, r"^tiles +16 of 256x256\nimg read +1\+1, 1\+1 beside each; 4\.26 MB of 4\.21 MB, 1\.01 times\n"
                         r"memory +24. MB of 2 workers at most\ncomputing +\S+ s of 2 workers; 1\.00 times the points of the whole$")
        explained = scale.explain(blur(), (1026, 1026), tile=256, measure=False)
        self.assertIn("<svg", explained._repr_html_())
        self.assertEqual(str(scale.explain(blur(), {"img": (1026, 1026)}, tile=256, measure=False)), str(explained))
        self.assertEqual((explained.tiles, explained.seconds, explained.parts[0].halos[0].behind), (16, None, (1, 1)))

    def test_an_explanation_is_of_the_run(self):
        """Its parts, tiles, workers and memory are those that the run has."""
        bytes_, numbers = self.saved("u1.npy", picture(600, 777).astype("u1")), self.saved("f8.npy", picture(602, 602).astype("f8"))
        jacobi = lambda k: pm.load(os.path.join(PIPELINES, "jacobi2d.py"), const={"T": k}, fp="strict")
        histeq = pm.load(os.path.join(PIPELINES, "histeq.py"), fp="strict")
        for number, (f, given, named, parts) in enumerate((
            (blur(), self.saved("f4.npy", picture(602, 602)), {}, ["blur"]),
            (two(), bytes_, {"gain": 0.5}, ["dark", "rows"]),
            (histeq, bytes_, {}, ["hist_tiles", "equalised"]),
            (histeq, np.load(bytes_), {}, ["hist_tiles", "equalised"]),
            (jacobi, {"V": numbers, "F": numbers}, {"steps": 20, "iterates": "V"}, ["U", "U"]),
        )):
            names = f(1).outputs if "steps" in named else f.outputs
            outputs = {p.name: f"{number}-{p.name}.npy" for p in names}
            for how in [{"memory": "500MB", "workers": 3}, {"tile": 200, "workers": 2}][: 2 if f is histeq else 1]:
                with self.subTest(f"{number}", **how):
                    explained = scale.explain(f, given, outputs, measure=False, overwrite=True, **how, **named)
                    report = scale.run(f, given, outputs, overwrite=True, **how, **named)
                    self.assertEqual((explained.tiles, explained.memory), (report.tiles, report.memory))
                    self.assertEqual([name for part in explained.parts for name in part.outputs], parts)
                    self.assertEqual([part.tile for part in explained.parts][-1], report.tile)

    def test_tiles_for_chunks(self):
        """Chunks are read as a whole, so that tiles of large ones should be large, too."""
        problem, sides = tiles.Problem(blur(), {"img": (20002, 20002)}, {}), []
        for side in (256, 1024, 4096):
            img = stores.Array(None, (20002, 20002), "f4", (1, 1), None, (side, side))
            sides.append(problem.choose(2**30, (1, 1), 2, {"img": img, "blur": stores.Array(None, (20000, 20000), "f4")})[0])
            box = ((side, 2 * side),) * 2
            self.assertEqual(tiles.met(problem.windows(box)["img"], img.grain), 4)  # the window begins where the tile does
        self.assertEqual(sides, sorted(sides))
        self.assertLess(sides[0], sides[-1])

    def test_memory_for_fewer_workers(self):
        f, img = blur(), self.saved("img.npy", picture(202, 202))
        report = scale.run(f, img, "out.npy", memory="250MB", workers=9)
        self.assertEqual(report.workers, 2)
        self.assertLess(report.memory, 250e6)
        self.assertEqual(scale.run(f, img, "out.npy", memory="250MB", workers=9, tile=50, overwrite=True).workers, 2)

    def test_an_output_is_made_again(self):
        """For the tile of the run: another store would write other units."""
        f, img = blur(fp="strict"), self.saved("img.npy", picture(202, 202))
        scale.run(f, img, "out.npy", tile=48, workers=2)
        os.remove("out.npy")
        self.assertEqual(scale.run(f, img, "out.npy", workers=2).tile, (48, 48))
        self.same("out.npy", f(np.load(img)))

    def test_files_of_a_program(self):
        """A module that has changed makes another program of it."""
        with open("program.py", "w") as file:
            file.write("from helper import K\n" + blur()._text.replace("1.0 / 9", "K"))
        for k in (2.0, 5.0):
            with open("helper.py", "w") as file:
                file.write(f"K = {k}\n")
            f, img = pm.load("program.py", fp="strict"), self.saved("img.npy", picture(52, 52)) if k == 2 else "img.npy"
            if k == 5:
                self.assertRaisesRegex(pm.ArgumentError, "was begun with another program", scale.run, f, img, "out.npy")
            scale.run(f, img, "out.npy", overwrite=k == 5, tile=20)
            self.same("out.npy", f(np.load(img)))

    def test_outputs_of_other_runs(self):
        """Each output is one run's: none goes on with what another one has written, or writes at the same time."""
        f, other = pm.Pipeline(PAIR, "pair.py", live_out=["a", "b"]), blur()
        img, outputs = self.saved("img.npy", picture(102, 102)), {"a": "a.npy", "b": "b.npy"}

        class Enough(Exception):
            pass

        def stop(done, n):
            if done == 5:
                raise Enough

        self.assertRaises(Enough, scale.run, f, img, outputs, tile=20, workers=1, progress=stop)
        scale.run(other, img, "b.npy", overwrite=True)
        self.assertRaisesRegex(pm.ArgumentError, "'b.npy' is not what the run has begun", scale.run, f, img, outputs)
        self.assertRaisesRegex(pm.ArgumentError, "'b.npy' is not what the run has begun", scale.run, f, img, dict(reversed(outputs.items())))

        def again(done, n):
            self.assertRaisesRegex(pm.ArgumentError, "another run is writing 'b.npy'", scale.run, other, img, "b.npy", overwrite=True)

        scale.run(f, img, outputs, overwrite=True, tile=50, progress=again)
        for path, want in zip(outputs.values(), f(np.load(img))):
            self.same(path, want)
        os.symlink("b.npy", "link.npy")
        self.assertRaisesRegex(pm.ArgumentError, "'b.npy' was begun with other outputs, of which it was one", scale.run, other, img, "link.npy")
        os.link("img.npy", "hard.npy")
        self.assertRaisesRegex(pm.ArgumentError, "which img is read from", scale.run, other, img, "hard.npy", overwrite=True)

    def test_stopped_at_the_end(self):
        """Behind the last tile, and ahead of the end: the next call ends it, and later changes are noticed."""
        f, img = blur(), self.saved("img.npy", picture(102, 102))

        class Enough(Exception):
            pass

        def stop(done, n):
            if done == n:
                raise Enough

        self.assertRaises(Enough, scale.run, f, np.load(img), "out.npy", tile=50, progress=stop)
        self.assertEqual(str(scale.run(f, np.load(img), "out.npy")), "all of it was there")
        self.assertEqual(sorted(os.listdir("out.npy.pm")), ["plan.json", "tiles"])
        np.save("out.npy", np.load("out.npy") * 2)
        self.assertRaisesRegex(pm.ArgumentError, "is not what the run has begun", scale.run, f, np.load(img), "out.npy")
        self.assertRaisesRegex(pm.ArgumentError, "is there, and no run has begun it", scale.run, f, img, "out.npy", resume=False)

    def test_folders_that_are_of_no_run(self):
        f, img = blur(), self.saved("img.npy", picture(52, 52))
        os.mkdir("out.npy.pm")
        with open("out.npy.pm/notes", "w") as file:
            file.write("mine")
        self.assertRaisesRegex(pm.ArgumentError, "'out.npy.pm' is there, and is of no run", scale.run, f, img, "out.npy", overwrite=True)
        self.assertTrue(os.path.exists("out.npy.pm/notes"))

    def test_two_at_once(self):
        """The second run of an output is refused, and the first one goes on."""
        f, img, seen = blur(), self.saved("img.npy", picture(102, 102)), []

        def again(done, n):
            if not seen:
                seen.append(self.assertRaisesRegex(pm.ArgumentError, "another run is writing 'out.npy'", scale.run, f, img, "out.npy", overwrite=True))

        scale.run(f, img, "out.npy", tile=50, progress=again)
        self.assertEqual(len(seen), 1)
        self.same("out.npy", f(np.load(img)))

    def test_refusals(self):
        f, img = blur(), self.saved("img.npy", picture(102, 102))
        total, square = pm.Pipeline(SUM, "total.py"), picture(9, 9).astype("f8")
        self.saved("there.npy", picture(100, 100))
        self.saved("other.npy", picture(100, 90))
        scale.run(f, img, "begun.npy", tile=50)
        for call, kind, text in (
            (lambda: scale.run(f, img, "other.npy"), pm.ArgumentError, 
             r"'other.npy' is there, float32 \(100, 90\) and not float32 \(100, 100\), and no run has begun it: overwrite=True replaces it"),
            (lambda: scale.run(f, img, "there.npy"), pm.ArgumentError, "is there, and no run has begun it: overwrite=True writes over it"),
            (lambda: scale.run(f, img, "begun.npy", tile=10), pm.ArgumentError, "was begun with another tile: overwrite=True begins anew"),
            (lambda: scale.run(blur(fp="strict"), img, "begun.npy"), pm.ArgumentError, "was begun with another program"),
            (lambda: scale.run(f, "none.npy", "x.npy"), pm.ArgumentError, "there is no 'none.npy'"),
            (lambda: scale.run(f, img, "x.png"), pm.ArgumentError, "should end in .npy, .tif, .tiff, .zarr, or be inside of a folder"),
            (lambda: scale.run(f, img, img), pm.ArgumentError, "blur cannot be written to .*img.npy', which img is read from"),
            (lambda: scale.run(f, np.zeros((9, 9), "u1"), "x.npy"), pm.DTypeError, r"img is uint8 in an array of uint8 \(9, 9\); img: float32"),
            (lambda: scale.run(f, img, "x.npy", memory="100MB", workers=2), pm.ArgumentError,
             "a tile of 1x1 takes 120 MB with its worker, and memory is 100 MB: give more memory="),
            (lambda: scale.run(f, img, "x.npy", memory=120_000_010, tile=50), pm.ArgumentError,
             "a tile of 50x50 takes 120 MB with its worker, and memory is 120 MB: give more memory=, or a smaller tile="),
            (lambda: scale.run(f, img, "x.npy", memory="lots"), pm.ArgumentError, "memory is 'lots'; it should be a number of bytes"),
            (lambda: scale.run(f, img, "x.npy", memory=float("nan")), pm.ArgumentError, "memory is nan; it should be a number of bytes"),
            (lambda: scale.run(f, img, "x.npy", workers=1.5), pm.ArgumentError, "workers is 1.5; it should be a number from 1 on"),
            (lambda: scale.run(f, img, "x.npy", tile=0), pm.ArgumentError, "tile= should be a number from 1 on, or one for each axis, -1: all of it"),
            (lambda: scale.run(f, img, "x.npy", tile=(1, 2, 3)), pm.ArgumentError, "tile= has 3 numbers; blur has 2 axes"),
            (lambda: scale.run(f, {"image": img}, "x.npy"), TypeError, "there is no input 'image'; there is img"),
            (lambda: scale.run(total, self.saved("t.npy", picture(99, 99)), "x.npy", tile=50), pm.ArgumentError,
             "a tile of total needs img along the whole of axis 0, so that tiles would repeat each other's work: tile= should be -1 along axis 0"),
            (lambda: scale.run(f, img, "x.npy", steps=3), pm.ArgumentError, "steps is 3; it should be a number from 1 on, with a function"),
            (lambda: scale.run("blur.py", img, "x.npy"), TypeError, "'blur.py' is no pipeline"),
            (lambda: scale.run(two(), np.zeros((9, 9), "u1"), {"dark": "x.npy", "rows": "y.npy"}), TypeError, "needs gain"),
            (lambda: scale.run(lambda k: pm.load(os.path.join(PIPELINES, "jacobi2d.py")), {"V": img, "F": img}, "x.npy", steps=3, iterates="V"),
             pm.DTypeError, "V is float32"),
            (lambda: scale.run(lambda k: pm.load(os.path.join(PIPELINES, "jacobi2d.py")), {"V": square, "F": square}, "x.npy", steps=3, iterates="V"),
             pm.ArgumentError, "U is the same program for 1 and 2 steps: which constant is their number"),
            (lambda: scale.run(f, img, "x.npy", iterates="img"), pm.ArgumentError, "iterates= is for steps=, which are not given"),
            (lambda: scale.run(lambda k: blur(), img, "x.npy", steps=1), pm.ArgumentError,
             r"iterates= should name the input that is blur: float32\[R, C\] of the steps before: there is none of that"),
        ):
            with self.subTest(text):
                self.assertRaisesRegex(kind, text, call)
        self.assertFalse([name for name in os.listdir(".") if name.startswith("x.")])

    def test_command(self):
        img = self.saved("img.npy", picture(102, 102))
        with open("blur.py", "w") as file:
            file.write(blur()._text)
        def command(*arguments):
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as messages:
                return scale_command.main(list(arguments)), out.getvalue(), messages.getvalue()
        self.assertEqual(command("img.npy", "blur.py", "out.npy", "--explain", "--tile=50")[1].split("\n")[0], "tiles      4 of 50x50")
        self.assertEqual(command("img.npy", "blur.py", "out.npy", "--tile=50x-1")[1][:25], "2 of 2 tiles of 50x100 in")
        self.assertEqual(command("img.npy", "none.py", "out.npy")[::2], (1, "pm scale: [Errno 2] No such file or directory: 'none.py'\n"))
        self.same("out.npy", blur()(np.load(img)))
        for arguments, message in (
            (("img.npy", "blur.py", "out.npy", "--tile", "25x-1"), "'out.npy' was begun with another tile: --overwrite begins anew"),
            (("img.npy", "blur.py", "x.npy", "--memory=1MB"), "a tile of 1x1 takes 120 MB with its worker, and memory is 1 MB: give more --memory"),
            (("img.npy", "x.npy", "blur.py"), "'x.npy' is no program: it is between the input and the output"),
            (("img.npy", "blur.py", "x.npy", "--param=K=3"), "there is no scalar 'K'; there is R, C"),
            (("img.npy", "blur.py", "x=y.npy"), "there is no output 'x'; there is blur"),
            (("img.npy", "blur.py", "x.npy", "--workers=0"), "workers is 0; it should be a number from 1 on"),
        ):
            self.assertEqual(command(*arguments), (1, "", f"pm scale: {message}\n"))
        self.assertIn("--const K has no effect", command("img.npy", "blur.py", "x.npy", "--const=K=3", "--explain")[2])
        self.assertEqual(command("img.npy", "blur.py", "./a=b.npy", "--tile", "-1x20")[1][:26], "5 of 5 tiles of 100x20 in ")
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as messages:
            scale_command.main(["img.npy", "blur.py", "x.npy", "--tile=abc"])
        self.assertIn("argument --tile: 'abc' is no number, as 1024, and no numbers, as 512x-1", messages.getvalue())

    def test_grids(self):
        for shape, tile in (((5, 7), (2, 3)), ((1, 1), (9, 9)), ((4, 0), (2, 2)), ((3,), (3,)), ((2, 3, 4), (1, 3, 3))):
            grid, seen = tiles.Grid(shape, tile), np.zeros(shape, int)
            for number in range(len(grid)):
                seen[tiles.slices(grid[number])] += 1
            self.assertTrue((seen == 1).all())


if __name__ == "__main__":
    unittest.main()
