"""What maps and runs cost beside computing: tasks, building graphs, time of a tile. Processor time is bounded, with room."""
import os
import resource
import shutil
import sys
import tempfile
import time
import unittest

import dask.array as da
import numpy as np
import pm
import pm.dask
from dask_programs import mixed
from pm import runs, tiles
from pm.manifest import Manifest
from programs import blur, picture


def processor_seconds():
    """Of this process and of its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def told(text):
    print(f"    {text}", file=sys.stderr)


class Graphs(unittest.TestCase):
    def tasks(self, made, *inputs):
        """For each chunk of the outputs."""
        return (len(made.dask) - sum(len(x.dask) for x in inputs)) / np.prod(made.numblocks)

    def test_tasks(self):
        """Halos are smaller than chunks, which are those of the input, or others."""
        f, x = blur(), da.from_array(np.zeros((1002, 1002), "f4"), chunks=100)
        for chunks in (None, (100, 100), (170, 90)):
            of_blocks, of_slices = (self.tasks(pm.dask.map(f, x, chunks=chunks, halo=halo), x) for halo in ("blocks", "slices"))
            told(f"chunks {chunks}: {of_blocks:.2f} tasks a chunk by blocks, {of_slices:.2f} by slices")
            self.assertLessEqual(of_blocks, 2)
            self.assertLessEqual(of_slices, 10)

    def test_tasks_of_several(self):
        """Two inputs, and two outputs, each of which is a task beside the one that computes both."""
        a, b = da.zeros((1000, 1000), dtype="f4", chunks=100), da.zeros((1000, 1000), dtype="u1", chunks=100)
        for halo, most in (("blocks", 2 * 2), ("slices", 2 * 10)):
            made = pm.dask.map(mixed(), a, b, np.zeros(256, "f4"), gain=1, halo=halo)
            tasks = self.tasks(made.sharp, a, b)
            told(f"two inputs and two outputs, {halo}: {tasks:.2f} tasks a chunk")
            self.assertLessEqual(tasks, most)

    def test_building(self):
        f, x = blur(), da.zeros((6402, 6402), dtype="f4", chunks=64)
        pm.dask.map(f, x)
        for halo, most in (("blocks", 3), ("slices", 6)):
            begun = time.process_time()
            made = pm.dask.map(f, x, halo=halo)
            seconds = time.process_time() - begun
            told(f"{np.prod(made.numblocks)} chunks by {halo}: {seconds:.2f} s")
            self.assertGreaterEqual(np.prod(made.numblocks), 10_000)
            self.assertLess(seconds, most)


class Tiles(unittest.TestCase):
    def setUp(self):
        folder, before = tempfile.mkdtemp(), os.getcwd()
        self.addCleanup(shutil.rmtree, folder)
        os.chdir(folder)
        self.addCleanup(os.chdir, before)

    def own_part(self, f, tile):
        """Seconds of reading, computing and writing all tiles, with nothing around it."""
        problem, run = tiles.Problem(f, {"img": (802, 802)}, {}), Manifest("out.npy.pm").plan()["run"]
        job = runs.Opened(runs.Job(problem, {"img": "img.npy"}, {"blur": os.path.abspath("out.npy")}, (tile, tile), "out.npy.pm", run, 0))
        job.compute(0)
        begun = time.process_time()
        for number in range(len(job.grid)):
            box = job.grid[number]
            (needed,) = problem.windows(box).values()
            window = job.inputs["img"].read(needed)
            (values,) = problem.compute(box, {"img": window}, {"img": tiles.low(needed)}, threads=1)
            job.outputs["blur"].write(box, values)
        return time.process_time() - begun

    def check(self, **how):
        f, tile = blur(), 16
        np.save("img.npy", picture(802, 802))
        pm.dask.run(f, "img.npy", "one.npy", tile=800, **how)
        begun = processor_seconds()
        pm.dask.run(f, "img.npy", "one.npy", tile=800, overwrite=True, **how)
        start = processor_seconds() - begun
        begun = processor_seconds()
        report = pm.dask.run(f, "img.npy", "out.npy", tile=tile, **how)
        seconds = processor_seconds() - begun - start
        own = self.own_part(f, tile)
        told(f"{report.tiles} tiles: {1e3 * seconds / report.tiles:.2f} ms each, of which "
             f"{1e3 * own / report.tiles:.2f} ms are the tile's own; "
             f"{report.seconds:.2f} s in all")
        self.assertLess((seconds - own) / report.tiles, 5e-3)

    def test_processes(self):
        self.check(workers=1)

    def test_cluster(self):
        """In one process: its scheduler's time counts, too."""
        import distributed

        with distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
            self.check(client=client)


if __name__ == "__main__":
    unittest.main()
