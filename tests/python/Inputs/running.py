"""How calls run: threads=, pm.threads, workspace=, release and trace."""
import inspect
import json
import os
import tempfile
import threading
import time
import unittest

os.environ["OMP_NUM_THREADS"] = "2"
import numpy as np
import pm
from programs import PIPELINES, blur, error, picture

TARGETS = [name for name, target in pm.pipeline.targets().items() if target["opens"] and target["parallel"] and target["is_there"]]
# A loop for each stage, and a whole array between them.
TEXT = """\
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(Float, "img", [R + 2, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
columns = Interval(Int, 0, C - 1)
twice = Function(([x, y], [Interval(Int, 0, R + 1), columns]), Float, "twice")
twice.defn = [img(x, y) * 2]
rows = Function(([x, y], [Interval(Int, 1, R), columns]), Float, "rows")
rows.defn = [twice(x - 1, y) + twice(x + 1, y)]
"""


def rows(**options):
    return pm.Pipeline(TEXT, "rows.py", settings=["group{strategy=none}", "inline-stages{max-ops=1}"], **options)


img = picture(802, 900)
right = 2 * img[:-2] + 2 * img[2:]
pipelines = {target: rows(target=target, cflags="-O1" if target == "c" else None).build() for target in TARGETS}
f = pipelines[TARGETS[-1]]
folder = tempfile.TemporaryDirectory()
file = os.path.join(folder.name, "trace.json")


def traced(f, *args, **kwargs):
    """The result, and the events but names of threads, of all kinds."""
    result = f.trace(*args, file, **kwargs)
    with open(file) as opened:
        events = json.load(opened)["traceEvents"]
    return result, {kind: [e for e in events if e.get("cat") == kind] for kind in ("call", "loop", "chunk")}


def used(f, **kwargs):
    """How many threads a call has."""
    return len({e["tid"] for e in traced(f, img, **kwargs)[1]["chunk"]})


class Threads(unittest.TestCase):
    def has_two(self, f, **kwargs):
        """The second thread may find all done, but not in each of so many calls."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = used(f, **kwargs)
            self.assertLessEqual(found, 2)
            if found == 2:
                return
        self.fail("there is one thread")

    def test_of_a_call(self):
        for target, f in pipelines.items():
            with self.subTest(target=target):
                self.assertEqual([used(f, threads=1) for _ in range(5)], [1] * 5)
                for n in (2, 7, 2**70, None):
                    self.has_two(f, threads=n)
                    np.testing.assert_array_equal(f(img, threads=n), right)
                np.testing.assert_array_equal(f(img, threads=1), right)

    def test_of_all_calls(self):
        with pm.threads(1) as one:
            self.assertEqual(used(f), 1)
            with pm.threads(2):
                self.has_two(f)
            self.assertEqual(used(f), 1)
            self.has_two(f, threads=2)
            self.assertIsInstance(one, pm.threads)
        self.has_two(f)
        pm.threads(1)
        self.assertEqual(used(f), 1)
        pm.threads(None)
        self.has_two(f)

    def test_of_a_pipeline(self):
        g = rows(threads=1)
        self.assertEqual(used(g), 1)
        self.has_two(g, threads=2)
        self.has_two(f)
        with pm.threads(2):
            self.assertEqual(used(g), 1)

    def test_of_a_box(self):
        for n in (1, 2, None):
            out = f.region(rows=((100, 300), (50, 333)), img=img, threads=n)
            np.testing.assert_array_equal(out, right[100:300, 50:333])

    def test_at_the_same_time(self):
        """A call with one thread and others with all of them know nothing of each other."""
        wrong = []

        def work(n):
            for _ in range(10):
                if not np.array_equal(f(img, threads=n), right):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, None, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_refused(self):
        for value in (0, -1, "2", 1.5):
            text = f"ArgumentError: threads is {value!r}; it should be a number from 1 on, or None"
            for call in (lambda: f(img, threads=value), lambda: pm.threads(value), lambda: blur(threads=value),
                         lambda: f.region(rows=((0, 1), (0, 1)), img=img, threads=value)):
                self.assertEqual(error(call), text)


class Workspaces(unittest.TestCase):
    def test_grows_and_is_freed(self):
        few = picture(102, 102)
        for target, f in pipelines.items():
            with self.subTest(target=target), pm.Workspace() as w:
                self.assertEqual(w.bytes, 0)
                np.testing.assert_array_equal(f(few, workspace=w), f(few))
                self.assertEqual(w.bytes, f.scratch_bytes(img=few.shape))
                np.testing.assert_array_equal(f(img, workspace=w, threads=1), right)
                np.testing.assert_array_equal(f(img, workspace=w), right)
                self.assertEqual(w.bytes, f.scratch_bytes(img=img.shape))
                f(few, workspace=w)
                self.assertEqual(w.bytes, f.scratch_bytes(img=img.shape))
                w.release()
                self.assertEqual(w.bytes, 0)
                f.region(rows=((5, 9), (7, 12)), img=few, workspace=w)
                self.assertGreater(w.bytes, 0)
            self.assertEqual(w.bytes, 0)
            np.testing.assert_array_equal(f(few, workspace=w), f(few))

    def test_without_intermediates(self):
        with pm.Workspace() as w:
            g, a = blur(), picture(10, 12)
            np.testing.assert_array_equal(g(a, workspace=w), g(a))
            self.assertEqual(w.bytes, 0)

    def test_two_calls(self):
        refused, end, w = [], threading.Event(), pm.Workspace()

        def work():
            while not end.is_set():
                try:
                    f(img, workspace=w)
                except pm.ArgumentError as e:
                    refused.append(str(e))
                    end.set()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        self.assertTrue(end.wait(60))
        for thread in threads:
            thread.join()
        self.assertEqual(refused[0], "rows: the workspace is in use by another call: each call that runs at the same "
                                     "time needs its own")
        np.testing.assert_array_equal(f(img, workspace=w), right)

    def test_refused(self):
        self.assertEqual(error(lambda: f(img, workspace=bytearray(10**7))),
                         "ArgumentError: workspace is a bytearray, and should be a pm.Workspace")
        self.assertEqual(error(lambda: pm.Workspace(8)).split(":")[0], "TypeError")

    def test_release(self):
        """What calls have left is gone, and comes again."""
        def resident():
            with open("/proc/self/statm") as opened:
                return int(opened.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        large, out = picture(2002, 1600), np.zeros((2000, 1600), "f4")
        f(large, out=out)
        least, kept = f.scratch_bytes(img=large.shape) // 2, resident()
        f.release()
        self.assertLess(resident(), kept - least)
        f(large, out=out)
        self.assertGreater(resident(), kept - least)
        f.release()
        blur().release()  # nothing, without an error


class Traces(unittest.TestCase):
    def check_nest(self, events):
        """Of one thread: each ends ahead of the next one, or has it inside."""
        around = []
        for e in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            while around and around[-1]["ts"] + around[-1]["dur"] <= e["ts"] + 1e-6:
                around.pop()
            if around:
                self.assertLessEqual(e["ts"] + e["dur"], around[-1]["ts"] + around[-1]["dur"] + 1e-6)
                self.assertNotEqual((around[-1]["cat"], e["cat"]), ("chunk", "chunk"))
            around.append(e)

    def check(self, events):
        """Chunks are in their loops, and cover them once."""
        for loop in events["loop"]:
            chunks = [e for e in events["chunk"] if e["args"]["loop"] == loop["args"]["loop"]]
            iterations = sorted(i for e in chunks for i in range(e["args"]["first"], e["args"]["last"] + 1))
            self.assertEqual(iterations, list(range(loop["args"]["iterations"])))
            for e in chunks:
                self.assertEqual((e["name"], e["args"]["stages"]), (loop["name"], loop["args"]["stages"]))
                self.assertGreaterEqual(e["ts"], loop["ts"])
                self.assertLessEqual(e["ts"] + e["dur"], loop["ts"] + loop["dur"] + 1e-6)
        all_events = sum(events.values(), [])
        for thread in {e["tid"] for e in all_events}:
            self.check_nest([e for e in all_events if e["tid"] == thread])

    def test_both_targets(self):
        for target, f in pipelines.items():
            threads = set()
            end = time.monotonic() + 30
            while time.monotonic() < end:
                result, events = traced(f, img, threads=2)
                np.testing.assert_array_equal(result, right)
                self.assertEqual([e["name"] for e in events["call"]], ["rows"])
                self.assertEqual([(e["name"], e["args"]["loop"]) for e in events["loop"]], [("twice", 0), ("rows", 1)])
                self.check(events)
                threads = {e["tid"] for e in events["chunk"]}
                if len(threads) == 2:
                    break
            self.assertEqual(len(threads), 2)

    def test_names(self):
        for target in TARGETS:
            g = pm.load(os.path.join(PIPELINES, "harris.py"), target=target, settings=["group{strategy=greedy}"])
            _, events = traced(g, picture(202, 302))
            (loop,) = events["loop"]
            self.assertEqual(loop["name"], "harris")
            self.assertEqual(set(loop["args"]["stages"]), {"Iy", "Ix", "harris"})
            self.assertEqual(loop["args"]["function"], "harris")

    def test_arguments(self):
        out = np.empty_like(right)
        self.assertIs(f.trace(file, img=img, out=out), out)
        np.testing.assert_array_equal(out, right)
        with pm.Workspace() as w:
            f.trace(img, file, workspace=w)
            self.assertGreater(w.bytes, 0)
        self.assertEqual(error(lambda: f.trace(img)),
                         'TypeError: a trace needs a file behind the arrays: f.trace(photo, "trace.json")')
        self.assertEqual(error(lambda: f.trace(img[:1], file)).split(":")[0], "ShapeError")
        if "c" in TARGETS:
            g = rows(target="c", parallel="openmp", cflags="-O1 -fopenmp")
            np.testing.assert_array_equal(g(img, threads=1), right)
            self.assertEqual(error(lambda: g.trace(img, file)),
                             'ExecutionError: rows: the function was made with parallel = "openmp", whose threads do not tell '
                             'what they do')


class Names(unittest.TestCase):
    def test_of_the_program(self):
        """They go first."""
        g = pm.Pipeline('threads, R = Parameter(Int, "threads"), Parameter(Int, "R")\na = Image(Int, "a", [R])\n'
                        'x = Variable(Int, "x")\nb = Function(([x], [Interval(Int, 0, R - 1)]), Int, "b")\n'
                        'b.defn = [a(x) * threads]\n', "b.py")
        self.assertEqual(list(g(np.ones(3, "i4"), threads=-5)), [-5] * 3)
        self.assertEqual(list(inspect.signature(g).parameters), ["a", "threads", "R", "out", "workspace"])


if __name__ == "__main__":
    unittest.main()
