"""Processes of a Dask cluster that are killed while they compute: the values are those of the whole."""
import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import dask.array as da
import distributed
import numpy as np
import pm
import pm.dask
from programs import blur, picture

# In all workers, which import it by themselves: each tile takes a while, and is counted when it is computed.
SLOW = """
import os
import time
from pm import pipeline, tiles
compute = tiles.Problem.compute
def slow(self, box, *args, **named):
    time.sleep(0.01)
    with open(os.environ["COUNTED"], "a") as file:
        file.write(f"{box} by {os.environ.get('OTHER_CPU')}\\n")
    return compute(self, box, *args, **named)
tiles.Problem.compute = slow
init = pipeline.Pipeline.__init__
def for_another_processor(self, text, filename, **options):
    init(self, text, filename, **{**options, "cpu": os.environ["OTHER_CPU"]})
if "OTHER_CPU" in os.environ:
    pipeline.Pipeline.__init__ = for_another_processor
"""

CLIENT = """
import distributed, pm, pm.dask, sys
if __name__ == "__main__":
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) if sys.argv[1] == "own" else sys.argv[1]
    pm.dask.run(pm.load("blur.py", fp="strict"), "img.npy", "out.npy", tile=10, client=distributed.Client(cluster))
"""


def local_cluster():
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL)


def machine_code():
    return pm.load("blur.py", fp="strict").asm


def marked():
    with contextlib.suppress(FileNotFoundError), open("out.npy.pm/tiles", "rb") as file:
        return sum(file.read())
    return 0


class Killed(unittest.TestCase):
    def setUp(self):
        self.folder, before = tempfile.mkdtemp(), os.getcwd()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        os.mkdir("hook")
        with open("hook/sitecustomize.py", "w") as file:
            file.write(SLOW)
        paths = os.environ.get("PYTHONPATH", "")
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", paths)
        os.environ["PYTHONPATH"] = os.pathsep.join([os.path.abspath("hook"), paths])
        os.environ["COUNTED"] = os.path.abspath("counted")
        self.f, self.img = blur(fp="strict"), picture(302, 302)
        np.save("img.npy", self.img)
        with open("blur.py", "w") as file:
            file.write(self.f._text)
        self.want = self.f(self.img)

    def counted(self):
        with contextlib.suppress(FileNotFoundError), open("counted") as file:
            return len(file.readlines())
        return 0

    def started(self, *command, **variables):
        process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **variables})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def cluster(self, **variables):
        """Processes of its own, for those that are killed or have these variables: the scheduler's, the second worker's and the
        client of it."""
        scheduler = self.started("-m", "distributed.cli.dask_scheduler", "--port=0", "--no-dashboard", "--scheduler-file=address")
        self.wait_for(lambda: os.path.exists("address") and os.path.getsize("address"))
        worker = ("-m", "distributed.cli.dask_worker", "--scheduler-file=address", "--nthreads=1", "--no-dashboard", "--death-timeout=5")
        workers = [self.started(*worker), self.started(*worker, **variables)]
        client = distributed.Client(scheduler_file="address", timeout=60)
        client.wait_for_workers(2, timeout=60)
        return scheduler, workers, client

    def test_a_worker_of_a_map(self):
        with local_cluster() as cluster, distributed.Client(cluster) as client:
            x = da.from_array(self.img, chunks=20)
            for halo in ("blocks", "slices"):
                before, pids = self.counted(), sorted(client.run(os.getpid).values())
                future = client.compute(pm.dask.map(self.f, x, chunks=15, halo=halo))
                self.wait_for(lambda: self.counted() >= before + 100)
                os.kill(pids[0], signal.SIGKILL)
                np.testing.assert_array_equal(future.result(timeout=120), self.want)
                self.assertGreaterEqual(self.counted(), before + 400)
                client.wait_for_workers(2, timeout=60)

    def test_a_worker_of_a_run(self):
        killed = []
        with local_cluster() as cluster, distributed.Client(cluster) as client:
            pids = sorted(client.run(os.getpid).values())

            def kill(done, n):
                if done in (100, 400):
                    killed.append(pids.pop())
                    os.kill(killed[-1], signal.SIGKILL)

            report = pm.dask.run(self.f, "img.npy", "out.npy", tile=10, client=client, progress=kill)
        self.assertEqual((len(killed), report.tiles, report.computed), (2, 900, 900))
        np.testing.assert_array_equal(np.load("out.npy"), self.want)

    def client_dies(self, address):
        with open("client.py", "w") as file:
            file.write(CLIENT)
        for least in (200, 500):
            process = self.started("client.py", address)
            self.wait_for(lambda: marked() >= least)
            process.kill()
            process.wait()
        time.sleep(1)
        self.assertLess(marked(), 900)

    def check_rest(self, report):
        np.testing.assert_array_equal(np.load("out.npy"), self.want)
        self.assertLess(report.computed, 900)
        print(f"    {self.counted() - 900} of 900 tiles are computed twice", file=sys.stderr)
        self.assertLess(self.counted() - 900, 0.05 * 900)

    def test_the_client(self):
        """With the scheduler, which is in its process."""
        self.client_dies("own")
        with local_cluster() as cluster, distributed.Client(cluster) as client:
            self.check_rest(pm.dask.run(self.f, "img.npy", "out.npy", client=client))

    def test_the_client_alone(self):
        """The scheduler and its workers stay."""
        _, _, client = self.cluster()
        with client:
            self.client_dies(client.scheduler.address)
            self.check_rest(pm.dask.run(self.f, "img.npy", "out.npy", client=client))

    def test_another_processor(self):
        """One worker makes code for a processor without wide vectors, with the same cache: the bits are the same."""
        _, _, client = self.cluster(OTHER_CPU="x86-64")
        with client:
            self.assertEqual(len(set(client.run(machine_code).values())), 2)
            pm.dask.run(self.f, "img.npy", "out.npy", tile=10, client=client)
            np.testing.assert_array_equal(np.load("out.npy"), self.want)
            mapped = client.compute(pm.dask.map(self.f, da.from_array(self.img, chunks=20), chunks=15)).result(timeout=120)
        np.testing.assert_array_equal(mapped, self.want)
        with open("counted") as file:
            by = [line.split(" by ")[1] for line in file]
        self.assertEqual(len(by), 1300)
        self.assertGreater(min(by.count("None\n"), by.count("x86-64\n")), 300)

    def test_the_scheduler(self):
        scheduler, workers, client = self.cluster()

        def kill(done, n):
            if done == 100:
                scheduler.kill()

        with client:
            begun = time.monotonic()
            with self.assertRaises(pm.ExecutionError) as caught:
                pm.dask.run(self.f, "img.npy", "out.npy", tile=10, client=client, progress=kill)
            self.assertRegex(str(caught.exception),
                             "^the scheduler of Dask is gone: what is done stays, and the same run goes on from there")
            self.assertLess(time.monotonic() - begun, 60)
        for worker in workers:
            worker.kill()
        report = pm.dask.run(self.f, "img.npy", "out.npy", workers=2)
        self.assertLess(report.computed, 900)
        np.testing.assert_array_equal(np.load("out.npy"), self.want)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    unittest.main()
