"""Who computes tiles: processes of this machine, or the workers of a Dask cluster. A worker is told the job once, and then
numbers of tiles."""
import collections
import contextlib
import itertools
import numbers
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid

from pm import errors, stores

ATTEMPTS = 3  # at a tile, when a store fails or a worker dies


class Progress:
    """A line on a terminal, or what is told of each tile: a callable gets how many are done, and how many there are."""

    def __init__(self, wanted):
        self._tell = wanted if callable(wanted) else None
        self._draws = wanted is True or (wanted is None and sys.stderr is not None and sys.stderr.isatty())
        self._n = self._done = self._points = self._points_done = self._computed = 0
        self._begun, self._is_drawn = None, False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._is_drawn:
            sys.stderr.write("\n")

    def begin(self, n, points):
        """So many tiles, and points of outputs."""
        self._n, self._points, self._begun = n, points, time.perf_counter()

    def skip(self, n, points):
        """They are there."""
        self._done += n
        self._points_done += points

    def add(self, points):
        """A tile is done."""
        self._done += 1
        self._points_done += points
        self._computed += points
        if self._tell:
            self._tell(self._done, self._n)
        rate = self._computed / (time.perf_counter() - self._begun)
        left = int((self._points - self._points_done) / rate) if rate else 0
        self.say(f"tile {self._done} of {self._n}, {rate / 1e6:.0f} million points a second, {left // 60}:{left % 60:02} left")

    def say(self, text):
        """On the terminal's line."""
        if self._draws:
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
            self._is_drawn = True


# --- what there is ---


def processes(given):
    """How many there should be; None: one for each processor."""
    if given is None:
        return len(os.sched_getaffinity(0))
    if isinstance(given, bool) or not isinstance(given, numbers.Integral) or given < 1:
        raise errors.ArgumentError(f"workers is {given!r}; it should be a number from 1 on")
    return int(given)


def available_memory(client):
    """Half of what is available now, in bytes: here, or to the workers of a cluster."""
    limits = client.run(_memory_limit).values() if client else ()
    return sum(limits) // 2 if limits and all(limits) else min(_free_memory(), *_free_in_groups(), sys.maxsize) // 2


def _free_memory():
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":") for line in file)
    return int(lines["MemAvailable"].split()[0]) * 1024


def _free_in_groups():
    """What control groups leave to this process, of version 2 and 1: https://docs.kernel.org/admin-guide/cgroup-v2.html"""
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.strip().split(":", 2)
            if controllers not in ("", "memory"):
                continue
            root, limit, used = (("/sys/fs/cgroup", "memory.max", "memory.current") if not controllers else
                                 ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"))
            while True:
                with contextlib.suppress(OSError, ValueError):  # no limit is no number
                    yield max(_number_in(f"{root}{path}/{limit}") - _number_in(f"{root}{path}/{used}"), 0)
                if path in ("/", ""):
                    break
                path = os.path.dirname(path)


def _number_in(path):
    with open(path) as file:
        return int(file.read())


# --- processes ---


# Freed arrays go back to the system, so that what a worker takes is what it uses.
_MALLOC = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "1048576"}


class _Process:
    """One that computes tiles, by python -m pm.workers. It reads pickles and writes pickles."""

    def __init__(self, job):
        paths = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
        answers, give = os.pipe()
        self._process = subprocess.Popen([sys.executable, "-P", "-m", "pm.workers", str(give)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                         pass_fds=(give,), env={**_MALLOC, **os.environ, "PYTHONPATH": paths}, start_new_session=True)
        os.close(give)
        self._answers = os.fdopen(answers, "rb")
        self._send(job)

    def _send(self, what):
        pickle.dump(what, self._process.stdin)
        self._process.stdin.flush()

    def compute(self, number):
        """None, or the exception that the tile ended with; an EOFError is that the process has died."""
        try:
            self._send(number)
            return pickle.load(self._answers)
        except (EOFError, OSError, pickle.UnpicklingError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            self._process.kill()
            return EOFError(f"a worker has died ({self._process.wait()})", self._process.wait())

    def stop(self):
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._answers):
            with contextlib.suppress(OSError):  # what is left in it goes nowhere
                pipe.close()


def may_be_repeated(error):
    return isinstance(error, (OSError, EOFError, MemoryError)) and not isinstance(error, (FileNotFoundError, PermissionError))


class _Tiles:
    """Numbers that are left, for several threads."""

    def __init__(self, numbers):
        self._left, self._attempts = collections.deque(numbers), collections.Counter()
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            return self._left.popleft() if self._left else None

    def again(self, number, error):
        """False: it has been tried often enough."""
        with self._lock:
            self._attempts[number] += 1
            if self._attempts[number] >= ATTEMPTS or not may_be_repeated(error):
                return False
            self._left.append(number)
            return True


def _drive(job, left, results, stop, running):
    """One process, whose tiles it tells of: (number, error)."""
    process = None
    try:
        while not stop.is_set():
            number = left.next()
            if number is None:
                return
            if process is None:
                process = _Process(job)
                running.append(process)
            error = process.compute(number)
            if isinstance(error, EOFError):
                process.stop()
                process = None
            if error is None or stop.is_set() or not left.again(number, error):
                results.put((number, error))
    except BaseException as error:
        results.put((None, error))
    finally:
        if process:
            process.stop()


def on_processes(job, numbers, n, done):
    """Computes these tiles by n processes, calls done for each, and raises the first error that stays."""
    results, stop, left, running = queue.SimpleQueue(), threading.Event(), _Tiles(numbers), []
    threads = [threading.Thread(target=_drive, args=(job, left, results, stop, running), daemon=True) for _ in range(min(n, len(numbers)))]
    for thread in threads:
        thread.start()
    try:
        for _ in numbers:
            number, error = results.get()
            if error is not None:
                raise _of_tile(number, error)
            done()
    finally:
        stop.set()
        for process in running:
            process.stop()
        for thread in threads:
            thread.join()


def _of_tile(number, error):
    if isinstance(error, EOFError):
        what, status = error.args
        why = ": the system may lack memory; memory= limits what a run takes" if status in (None, -signal.SIGKILL) else ""
        return errors.ExecutionError(f"{what} at tile {number}, {ATTEMPTS} times{why}", 0)
    if isinstance(error, OSError) and number is not None:
        error.add_note(f"at tile {number}; what is done stays, and the same run goes on from there")
    return error


def _end_with_parent():
    """A worker that outlives its run would write into the next one."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() == 1:
        os._exit(1)


def _serve():
    """The loop of a worker."""
    from pm import runs

    _end_with_parent()
    take, give = sys.stdin.buffer, os.fdopen(int(sys.argv[1]), "wb")
    opened = None
    job = pickle.load(take)
    while True:
        try:
            number = pickle.load(take)
        except EOFError:
            return
        try:
            opened = opened or runs.Opened(job)
            opened.compute(number)
            answer = None
        except Exception as error:
            answer = _picklable(error)
        try:
            pickle.dump(answer, give)
            give.flush()
        except BrokenPipeError:  # nobody waits for it any more
            os._exit(1)


def _picklable(error):
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return errors.Error(f"{type(error).__name__}: {error}")


# --- Dask ---

class _Shared:
    """A job on a worker of Dask, whose threads have it open each, until the run lets go of it."""

    def __init__(self, job):
        self._job, self._opened = job, threading.local()

    def __reduce__(self):
        return _Shared, (self._job,)

    def compute(self, number):
        from pm import runs

        if not hasattr(self._opened, "it"):
            self._opened.it = runs.Opened(pickle.loads(self._job))
        self._opened.it.compute(number)


def _memory_limit(dask_worker):
    return dask_worker.memory_manager.memory_limit


def slots(client):
    """Threads of all workers."""
    if not hasattr(client, "nthreads"):
        raise errors.ArgumentError(f"client is {client!r}; it should be a distributed.Client")
    if client.status != "running":
        raise errors.ArgumentError(f"client= is {client.status}; it should be connected")
    n = sum(client.nthreads().values())
    if not n:
        raise errors.ArgumentError("the cluster of client= has no worker")
    return n


def on_client(job, numbers, n, client, done):
    """Computes these tiles on a cluster, n at a time at most, and calls done for each. Four times as many are sent ahead,
    where each thread may have one."""
    distributed = stores.needs_module("distributed", "client=")
    of_key = {}
    shared = client.submit(_Shared, pickle.dumps(job), key=f"pm-job-{uuid.uuid4().hex}")  # it may be begun anew, in other files

    def submitted():
        for number in numbers:
            future = client.submit(_Shared.compute, shared, number, pure=False, retries=ATTEMPTS - 1)
            of_key[future.key] = number
            yield future

    submitted = submitted()
    futures = distributed.as_completed(itertools.islice(submitted, 4 * n if n >= slots(client) else n))
    try:
        for future in futures:
            number = of_key.pop(future.key)
            if future.status != "finished":  # fetching a result takes longer than a small tile
                future.result()
            done()
            futures.update(itertools.islice(submitted, 1))
    except (distributed.CancelledError, distributed.comm.CommClosedError):
        raise errors.ExecutionError("the scheduler of Dask is gone: what is done stays, and the same run goes on from there", 0) from None
    except distributed.KilledWorker:
        raise _of_tile(number, EOFError("workers have died", None)) from None
    except OSError as error:
        raise _of_tile(number, error)
    finally:
        futures.clear()


if __name__ == "__main__":
    _serve()
