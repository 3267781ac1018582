"""Runs of a plan: parts one behind the other, whose tiles workers compute (docs/scale.md)."""
import bisect
import contextlib
import dataclasses
import functools
import itertools
import os
import time
import uuid

from pm import errors, stores, tiles, workers
from pm.manifest import Manifest, folder_of

AT_A_TIME = 4096  # results of tiles that are combined


@dataclasses.dataclass(frozen=True)
class Report:
    """What a run did."""

    tiles: int
    computed: int  # in this run; the others were there
    tile: tuple  # of the last part
    workers: int
    memory: int  # bytes, of all workers at a time, at most
    seconds: float
    parts: int = 1  # programs that were run one behind the other

    def __str__(self):
        if not self.computed:
            return "all of it was there"
        there = f", {self.tiles - self.computed} were there" if self.computed < self.tiles else ""
        what = f"tiles of {tiles.times(self.tile)}" if self.parts == 1 else f"tiles of {self.parts} parts"
        return (f"{self.computed} of {self.tiles} {what} in {self.seconds:.1f} s{there}; {self.workers} worker{'s' * (self.workers != 1)} "
                f"in at most {tiles.in_bytes(self.memory)}")


# --- what workers do ---


@dataclasses.dataclass(frozen=True)
class Job:
    """A part, as its workers need it: it is pickled once."""

    problem: tiles.Problem
    inputs: dict  # what names their stores
    outputs: dict
    tile: tuple
    folder: str  # of the manifest
    run: str  # that has begun it
    first: int  # number of its first tile


class Opened:
    """A job in a process: its stores and its program."""

    def __init__(self, job):
        self.job = job
        self.inputs = {name: stores.open_to_read(store) for name, store in job.inputs.items()}
        self.outputs = {name: stores.open_to_write(store) for name, store in job.outputs.items()}
        self.grid, self.manifest = job.problem.grid(job.tile), Manifest(job.folder)
        self.marks = self.manifest.marks()

    def compute(self, number):
        """Reads, computes and writes a tile. It is marked when all of it is there. Another run of the same output ends it."""
        problem, box = self.job.problem, self.grid[number - self.job.first]
        needed = problem.windows(box)
        windows = {name: self.inputs[name].read(window) for name, window in needed.items()}
        origins = {name: tiles.low(window) for name, window in needed.items()}
        results = problem.compute(box, windows, origins, threads=1)
        del windows
        if (self.manifest.plan() or {}).get("run") != self.job.run:
            raise errors.ArgumentError(f"another run has begun in '{self.job.folder}'")
        for name, values in zip(problem.outputs, results):
            self.outputs[name].write(box, values)
        self.marks.write(b"\1", number)


# --- runs ---

_WORDS = {"version": "another version of pm", "program": "another program", "scalars": "other scalars",
          "inputs": "other inputs, or they have changed", "outputs": "other outputs", "steps": "another number of steps",
          "parts": "another tile"}


class Run:
    """Of a plan. It goes on with what another run of the same plan has computed, unless it should not resume, or overwrites."""

    def __init__(self, plan, resume, overwrite, progress):
        self.plan, self.goes_on, self.overwrite = plan, resume and not overwrite, overwrite
        self.manifest, self.id = Manifest(plan.folder), uuid.uuid4().hex
        self.manifests = {path: Manifest(folder_of(path)) for path in plan.paths.values()}
        self.firsts = [0, *itertools.accumulate(len(part.grid) for part in plan.parts)]
        self.progress = progress

    def go(self):
        begun = time.perf_counter()
        self.progress.begin(self.firsts[-1], sum(part.points for part in self.plan.parts))
        with contextlib.ExitStack() as locks:
            for path in sorted(self.manifests):
                locks.enter_context(self.manifests[path].locked())
            if not self.check():
                self._begin()
            self.manifest.keep({**self.manifest.plan(), "run": self.id})
            missing = self.manifest.missing(self.firsts[-1])
            if missing:
                self._compute(missing)
            self._finish()
        last = self.plan.parts[-1]
        return Report(self.firsts[-1], len(missing), last.tile, max(part.workers for part in self.plan.parts),
                      max(part.memory for part in self.plan.parts), time.perf_counter() - begun, len(self.plan.parts))

    # --- what is there ---

    def check(self):
        """Whether it goes on with a run of the same plan, whose outputs are there. It raises an error if it must not write."""
        for manifest in self.manifests.values():
            manifest.check_own()
        before = self.manifest.plan()
        there = [path for path in self.manifests if os.path.exists(path)]
        if before and "making" not in before and self.goes_on:
            self._check_same(before, there)
            return len(there) == len(self.manifests)
        for array in self.plan.outputs.values():
            if os.path.exists(array.path):
                self._check_free(array, before or {})
        return False

    def _check_same(self, before, there):
        plan = self.plan.identity()
        difference = next((_WORDS[name] for name in _WORDS if before.get(name) != plan[name]), None)
        if "outputs" not in before:
            difference = "other outputs, of which it was one"
        if difference:
            raise errors.ArgumentError(f"{stores.name_of(there[0] if there else self.plan.folder)} was begun with {difference}: overwrite=True "
                                       "begins anew")
        arrays = {array.path: array for array in self.plan.outputs.values()}
        for path in there:
            of_path = self.manifests[path].plan() or {}
            is_ours = of_path.get("began") == before["began"] and self._is_untouched(path, of_path, before)
            if not (is_ours and stores.existing(path, arrays[path].shape, arrays[path].dtype)):
                raise errors.ArgumentError(f"{stores.name_of(path)} is not what the run has begun: overwrite=True begins anew")

    @staticmethod
    def _is_untouched(path, of_path, before):
        """It is what a run has made, and was not written to since that has finished."""
        finished = before.get("finished", {}).get(path)
        return of_path.get("made") == stores.made_as(path) and (finished is None or finished == stores.identity(path))

    def _check_free(self, array, before):
        """What no run has begun is not replaced, unless it is an array as it should be, and empty."""
        stores.check_replaceable(array.path)
        of_path = self.manifests[array.path].plan() or {}
        if self.overwrite or "making" in of_path or self._is_untouched(array.path, of_path, before):
            return
        store = stores.existing(array.path, array.shape, array.dtype)
        if store is None or not store.is_empty:
            other = self._other_than(array)
            raise errors.ArgumentError(f"{array} is there{other}, and no run has begun it: overwrite=True {'replaces' if other else 'writes over'} it")

    @staticmethod
    def _other_than(array):
        """What is there in its place, if it is an array that is another one."""
        try:
            there = stores.array_of(array.path)
        except errors.Error:
            return ""
        return "" if (there.shape, there.dtype) == (array.shape, array.dtype) else f", {there.dtype} {there.shape} and not {array.dtype} {array.shape}"

    def _begin(self):
        """All outputs, beside the places of those that are replaced at last."""
        made = [array for array in self.plan.outputs.values() if not stores.existing(array.path, array.shape, array.dtype)]
        for manifest in self.manifests.values():
            manifest.make_way()
        for array in made:
            stores.make(array, self._new(array))
        for array in made:
            stores.put(self._new(array), array.path)
        kept = {path: {"began": self.id, "made": stores.made_as(path)} for path in self.manifests}
        first, *others = self.manifests
        for path in others:
            self.manifests[path].keep(kept[path])
        self.manifest.begin({**self.plan.identity(), **kept[first]}, self.firsts[-1])  # from here on it can go on

    def _new(self, array):
        return os.path.join(self.manifests[array.path].folder, "new" + os.path.splitext(array.path)[1])

    def _finish(self):
        plan = self.manifest.plan()
        if "finished" not in plan:
            plan = {**plan, "finished": {path: stores.identity(path) for path in self.manifests}}
        self.manifest.finish(plan)

    # --- parts ---

    def _compute(self, missing):
        self._save_arrays()
        for part, first, end in zip(self.plan.parts, self.firsts, self.firsts[1:]):
            mine = missing[bisect.bisect_left(missing, first) : bisect.bisect_left(missing, end)]
            self.progress.skip(end - first - len(mine), part.points * (end - first - len(mine)) / max(end - first, 1))
            if mine or first == end:
                self._compute_part(part, first, end, mine)
            if part.sums:
                self._save_sums(part)
        left = self.manifest.missing(self.firsts[-1])
        if left:
            raise errors.ExecutionError(f"{len(left)} tiles are not there, the first is {left[0]}: another run may have begun anew", 0)

    def _compute_part(self, part, first, end, numbers):
        for array in part.outputs.values():
            if not os.path.exists(array.path):  # of the run's own
                stores.make(array, array.path + ".new")
                stores.put(array.path + ".new", array.path)
        inputs = {name: self._saved(name) if array.is_in_memory else array.store for name, array in part.inputs.items()}
        job = Job(part.problem, inputs, {name: array.path for name, array in part.outputs.items()}, part.tile, self.plan.folder, self.id, first)
        done = functools.partial(self.progress.add, part.points / max(end - first, 1))
        if self.plan.limits.client:
            workers.on_client(job, numbers, part.workers, self.plan.limits.client, done)
        else:
            workers.on_processes(job, numbers, part.workers, done)

    def _saved(self, name):
        return os.path.join(self.plan.folder, "inputs", f"{name}.npy")

    def _save_arrays(self):
        """Those in memory, so that workers read windows of a file."""
        for name, array in self.plan.given.items():
            if array.is_in_memory and not os.path.exists(self._saved(name)):
                stores.save(self._saved(name), array.store)

    def _save_sums(self, part):
        """What results of tiles come to, in the order of tiles, some at a time."""
        import numpy

        sums, folder = part.sums, os.path.dirname(next(iter(part.outputs.values())).path)
        paths = {name: os.path.join(folder, f"{sums.sum_of(name)}.npy") for name in part.outputs}
        if all(map(os.path.exists, paths.values())):
            return
        results = {name: numpy.load(array.path, mmap_mode="r") for name, array in part.outputs.items()}
        cells = {p.name: tuple(map(int, p.extents[1:])) for p in sums.combine.inputs}
        results = {name: array.reshape(-1, *cells[name]) for name, array in results.items()}
        while (n := max(map(len, results.values()))) != 1:
            made = [sums.combined({name: array[at : at + AT_A_TIME] for name, array in results.items()}) for at in range(0, max(n, 1), AT_A_TIME)]
            results = {name: numpy.stack([of[sums.sum_of(name)] for of in made]) for name in results}
        for name, path in paths.items():
            stores.save(path, results[name][0])
