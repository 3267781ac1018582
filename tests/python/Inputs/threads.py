"""Calls of several threads at a time, processes that are forked, and interrupts."""
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np
import pm
from programs import PIPELINES, blur, blurred, picture


def together(n, work):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_child(f, img, queue):
    queue.put(f(img))


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def left_running(pids, seconds=5):
    """Those that still run when the time is over: a signal takes a while on a busy machine."""
    end = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return list(filter(is_running, pids))


class Threads(unittest.TestCase):
    def test_many_calls(self):
        f, images = blur().build(), [picture(12, 12) * i for i in range(8)]
        right, wrong = [f(img) for img in images], []

        def work(i):
            for _ in range(1000):
                if not np.array_equal(f(images[i]), right[i]):
                    wrong.append(i)

        together(8, work)
        self.assertEqual(wrong, [])

    def test_large_calls(self):
        """Each has parallel loops of its own."""
        f, img = blur().build(), picture(700, 900)
        right, results = f(img), [None] * 4
        def work(i):
            results[i] = [f(img) for _ in range(5)]

        together(4, work)
        for result in sum(results, []):
            np.testing.assert_array_equal(result, right)

    def test_first_call(self):
        f, results = blur(), [None] * 8
        def work(i):
            results[i] = f(picture(9, 9)), f.signature

        together(8, work)
        for result, signature in results:
            np.testing.assert_array_equal(result, results[0][0])
            self.assertEqual(signature, results[0][1])

    def test_python_goes_on(self):
        """Another thread runs while a program is compiled."""
        f, steps = pm.load(os.path.join(PIPELINES, "camera.py")), []
        thread = threading.Thread(target=f.build)
        thread.start()
        while thread.is_alive():
            steps.append(time.monotonic())
            time.sleep(0.001)
        self.assertGreater(len(steps), 20)


class Processes(unittest.TestCase):
    def child_is_right(self, method, f, img):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        child = context.Process(target=in_child, args=(f, img, queue))
        child.start()
        result = queue.get(timeout=60)
        child.join()
        np.testing.assert_array_equal(result, f(img))

    def test_after_parallel_calls(self):
        f, img = blur().build(), picture(700, 900)
        f(img)
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method):
                self.child_is_right(method, f, img)

    def test_fork_before_the_first_call(self):
        self.child_is_right("fork", blur(), picture(9, 9))


class Interrupts(unittest.TestCase):
    def setUp(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it

    def interrupted(self, after, work):
        """Seconds from the signal until KeyboardInterrupt; the signal comes after so many seconds, or 0.2 after that holds."""
        sent = []
        def send():
            while callable(after) and not after():
                time.sleep(0.01)
            time.sleep(0.2 if callable(after) else after)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        with self.assertRaises(KeyboardInterrupt):
            thread.start()
            work()
        came = time.monotonic()
        thread.join()
        return came - sent[0]

    def test_compile(self):
        f = pm.load(os.path.join(PIPELINES, "interpolate.py"), cache=False)
        self.assertLess(self.interrupted(0.3, f.build), 0.9)
        self.assertFalse(f.is_built)
        f.build()

    def test_c_compiler(self):
        """It is ended with what it has started, its files are removed, and the next call compiles anew."""
        with tempfile.TemporaryDirectory() as folder:
            compiler, pids, work = (os.path.join(folder, name) for name in ("cc", "pids", "work"))
            os.mkdir(work)
            with open(compiler, "w") as file:
                file.write(f"#!/bin/sh\nsleep 60 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait; exec cc \"$@\"\n")
            os.chmod(compiler, 0o700)
            f = blur(target="c", compiler=compiler, cache=False)
            with mock.patch.dict(os.environ, TMPDIR=work):
                self.assertLess(self.interrupted(lambda: os.path.exists(pids), f.build), 0.9)
            self.assertEqual(os.listdir(work), [])
            with open(pids) as file:
                self.assertEqual(left_running(file.read().split()), [])
            with open(compiler, "w") as file:
                file.write('#!/bin/sh\nexec cc "$@"\n')
            img = picture(9, 9)
            np.testing.assert_allclose(f(img), blurred(img), rtol=1e-5)

    def test_c_compiler_of_another_thread(self):
        """Who else waits for the function gets it."""
        with tempfile.TemporaryDirectory() as folder:
            compiler, begun = os.path.join(folder, "cc"), os.path.join(folder, "begun")
            with open(compiler, "w") as file:
                file.write(f"#!/bin/sh\n[ -e {begun} ] || {{ : > {begun}; sleep 1; }}; exec cc \"$@\"\n")
            os.chmod(compiler, 0o700)
            f, built = blur(target="c", compiler=compiler, cache=False), []
            other = threading.Thread(target=lambda: built.append(f.build().is_built))
            other.start()
            self.assertLess(self.interrupted(lambda: os.path.exists(begun), f.build), 0.9)
            other.join()
            self.assertEqual(built, [True])

    def test_call(self):
        f, img = blur().build(), picture(1000, 1000)
        def work():
            end = time.monotonic() + 20
            while time.monotonic() < end:
                f(img)

        self.assertLess(self.interrupted(0.2, work), 0.9)


if __name__ == "__main__":
    unittest.main()
